import { useMay } from '../api/me.ts'
import { LinkButton } from '../parts/button.tsx'

/** The ways to new processes: one by a form, many from a file. */
export function AddProcesses({ procedureShortId }: { procedureShortId: string }) {
  const may = useMay()
  if (!may('process:write')) return null
  return (
    <>
      <LinkButton icon="upload" to="/procedure/$procedureShortId/import" params={{ procedureShortId }}>
        <span className="max-sm:sr-only">Import</span>
      </LinkButton>
      <LinkButton tone="main" icon="plus" to="/procedure/$procedureShortId/new" params={{ procedureShortId }}>
        New
      </LinkButton>
    </>
  )
}
