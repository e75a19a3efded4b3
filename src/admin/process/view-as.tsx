import { Link } from '@tanstack/react-router'
import { Icon } from '../parts/icon.tsx'
import type { ListSearch } from './list/list-search.ts'

const FORMS = [
  { page: 'process', label: 'Table', icon: 'list' },
  { page: 'board', label: 'Board', icon: 'board' },
] as const

interface ViewAsProps {
  procedureShortId: string
  page: (typeof FORMS)[number]['page']
  search: ListSearch
}

/** The same processes as a table or as a board. */
export function ViewAs({ procedureShortId, page, search }: ViewAsProps) {
  return (
    <nav aria-label="Form" className="flex h-8 overflow-hidden rounded-md border border-line-strong bg-surface">
      {FORMS.map(form => (
        <Link
          key={form.page}
          to={`/procedure/$procedureShortId/${form.page}`}
          params={{ procedureShortId }}
          search={search}
          aria-current={form.page === page ? 'page' : undefined}
          className={`inline-flex items-center gap-1.5 px-2.5 text-[13px] ${form.page === page ? 'bg-accent-soft font-medium' : 'text-ink-2 hover:bg-hover'}`}
        >
          <Icon name={form.icon} />
          {form.label}
        </Link>
      ))}
    </nav>
  )
}
