import type { Procedure, Query } from 'caseworker'
import { useMemo } from 'react'
import { useConfig } from '../../api/me.ts'
import { IconButton } from '../../parts/button.tsx'
import { filterFieldsOf } from './fields.ts'
import { formatFilter } from './rule-words.ts'
import { treeOf } from './tree.ts'

interface FilterChipsProps {
  procedure: Procedure
  where: Query
  onOpen: () => void
  onClear: () => void
}

/** A filter that is on, in one line: what it says, and the way to its conditions. */
export function FilterChips({ procedure, where, onOpen, onClear }: FilterChipsProps) {
  const users = useConfig()?.users
  const words = useMemo(
    () => formatFilter(treeOf(where), filterFieldsOf(procedure, users ?? [])),
    [procedure, users, where],
  )
  return (
    <div className="flex items-center gap-1.5 overflow-x-auto">
      {words.map(each => (
        <button
          key={each}
          type="button"
          title="Change the filter"
          className="max-w-80 shrink-0 truncate rounded-full border border-line-strong bg-surface px-2.5 py-0.5 text-[13px] hover:bg-hover"
          onClick={onOpen}
        >
          {each}
        </button>
      ))}
      <IconButton label="Clear the filter" icon="close" className="size-6!" onClick={onClear} />
    </div>
  )
}
