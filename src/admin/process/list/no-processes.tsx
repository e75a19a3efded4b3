import type { Procedure } from 'caseworker'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/states.tsx'
import { AddProcesses } from '../add-processes.tsx'
import { type ListSearch, searchedNames } from './list-search.ts'
import type { OnSearch } from './process-table.tsx'

interface NoProcessesProps {
  procedure: Procedure
  search: ListSearch
  onSearch: OnSearch
}

/** In which attributes words are looked for; without any, the key is known by its beginning only. */
function whereSearched(procedure: Procedure): string {
  const names = searchedNames(procedure)
  if (procedure.attributes.some(each => each.searchable)) return `Searched: ${names.join(', ')}.`
  return `Searched: the beginning of ${names.join(', ')}. More can be marked as searchable in the definition.`
}

/** Nothing matches, or there is nothing yet. */
export function NoProcesses({ procedure, search, onSearch }: NoProcessesProps) {
  if (search.where === undefined && search.search === undefined)
    return (
      <Empty icon="list" title="No processes yet" action={<AddProcesses procedureShortId={procedure.shortId} />}>
        They are created here, imported from a file, or created by programs over the API.
      </Empty>
    )
  return (
    <Empty
      icon="filter"
      title="Nothing matches"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {search.where !== undefined && (
            <Button icon="close" onClick={() => onSearch({ ...search, where: undefined }, true)}>
              Clear the filter
            </Button>
          )}
          {search.search !== undefined && (
            <Button icon="close" onClick={() => onSearch({ ...search, search: undefined }, true)}>
              Clear the search
            </Button>
          )}
        </div>
      }
    >
      {search.search === undefined
        ? 'No process has all that the filter asks for.'
        : `No process has ${search.where === undefined ? '' : 'all that the filter asks for, and '}words that begin with “${search.search}”. ${whereSearched(procedure)}`}
    </Empty>
  )
}
