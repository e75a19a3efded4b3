import { Link, useNavigate } from '@tanstack/react-router'
import { useConfig } from '../../api/me.ts'
import { nameOfUser } from '../../api/user-name.ts'
import { Select } from '../../parts/field.tsx'
import { DayInput } from '../../parts/time/day-input.tsx'
import type { JobSearch } from './job-search.ts'

/** Jobs of one creator, one procedure, some days; the tabs above have the status. */
export function JobFilters({ search }: { search: JobSearch }) {
  const config = useConfig()
  const navigate = useNavigate()
  const { status, ...filters } = search
  const set = (change: JobSearch) => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined)
    void navigate({ to: '/background-job', search: Object.fromEntries(next) })
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        aria-label="Created by"
        className="w-auto! max-w-44"
        value={search.by ?? ''}
        onChange={({ target }) => set({ by: target.value || undefined })}
        options={[
          { value: '', label: 'By anybody' },
          ...(config?.users ?? []).map(user => ({ value: user.id, label: nameOfUser(user) })),
        ]}
      />
      <Select
        aria-label="Procedure"
        className="w-auto! max-w-44"
        value={search.procedure ?? ''}
        onChange={({ target }) => set({ procedure: target.value || undefined })}
        options={[
          { value: '', label: 'Any procedure' },
          ...(config?.procedures ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <DayInput label="From" day={search.from} onChange={from => set({ from })} />
      <DayInput label="To" day={search.to} onChange={to => set({ to })} />
      {Object.keys(filters).length > 0 && (
        <Link
          to="/background-job"
          search={status === undefined ? {} : { status }}
          className="px-2 text-[13px] text-ink-2 underline"
        >
          Without filters
        </Link>
      )}
    </div>
  )
}
