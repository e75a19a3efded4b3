import { useNavigate } from '@tanstack/react-router'
import { useConfig } from '../api/me.ts'
import { Select } from '../parts/field.tsx'

/** The other procedures of the team, in the same form: table or board. */
export function ProcedureSwitch({ procedureShortId, page }: { procedureShortId: string; page: 'process' | 'board' }) {
  const procedures = useConfig()?.procedures ?? []
  const navigate = useNavigate()
  if (procedures.length < 2) return null
  return (
    <Select
      aria-label="Procedure"
      className="w-auto! max-w-56"
      value={procedureShortId}
      onChange={({ target }) =>
        void navigate({ to: `/procedure/$procedureShortId/${page}`, params: { procedureShortId: target.value } })
      }
      options={procedures.map(({ shortId, name }) => ({ value: shortId, label: name }))}
    />
  )
}
