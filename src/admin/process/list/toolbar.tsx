import type { Procedure, Query } from 'caseworker'
import { useEffect, useMemo, useState } from 'react'
import { formatCurl } from '../../api/curl.ts'
import { useConfig } from '../../api/me.ts'
import { Button, IconButton, LinkButton } from '../../parts/button.tsx'
import { ChoiceList } from '../../parts/choice/choices.tsx'
import { Popover } from '../../parts/choice/popover.tsx'
import { Code, Json } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { TextInput } from '../../parts/field.tsx'
import { howMany } from '../../parts/text/number-text.ts'
import { listFilterFields } from '../filter/fields.ts'
import { FilterBuilder } from '../filter/filter-builder.tsx'
import { formatFilter } from '../filter/filter-text.ts'
import { parseTree } from '../filter/filter-tree.ts'
import { getKeyColumn, type ProcessColumn, usualColumns } from './columns.tsx'
import { buildListBody, isSearchable, type ListSearch } from './list-search.ts'
import type { OnSearch } from './process-table.tsx'
import { useReadAgain } from './use-process-rows.ts'

interface ToolbarProps {
  procedure: Procedure
  search: ListSearch
  onSearch: OnSearch
  /** The columns that a table can have, and those that it shows. */
  columns?: readonly ProcessColumn[]
  shown?: readonly string[]
  onReadAgain?: () => void
  /** The number of matches; undefined while it is unknown. */
  matching?: number | undefined
  /** A search has no count: this is how many rows were loaded. */
  foundSoFar?: number | undefined
}

/** Search, filter, columns, and what the API is asked: above a table and above a board. */
export function Toolbar({
  procedure,
  search,
  onSearch,
  columns = [],
  shown = [],
  onReadAgain,
  matching,
  foundSoFar = 0,
}: ToolbarProps) {
  const { where } = search
  // A filter that is on is folded to a line: open, it would leave little room for what it finds.
  const [isFiltering, setFiltering] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const readAgain = useReadAgain()
  const clear = () => onSearch({ ...search, where: undefined }, true)
  const key = getKeyColumn(procedure)
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        {isSearchable(procedure) && (
          <SearchField
            text={search.search ?? ''}
            onSearch={text => onSearch({ ...search, search: text || undefined })}
          />
        )}
        <Button
          icon="filter"
          aria-expanded={isFiltering}
          aria-controls="filter"
          className={where === undefined ? '' : 'border-accent!'}
          onClick={() => setFiltering(open => !open)}
        >
          Filter
        </Button>
        {columns.length > 0 && (
          <Popover label="Columns" trigger={<Button icon="columns">Columns</Button>}>
            <ChoiceList
              label="Columns"
              choices={columns.filter(({ id }) => id !== key).map(({ id, name }) => ({ value: id, label: name }))}
              chosen={shown}
              onChoose={chosen => onSearch({ ...search, columns: [key, ...chosen.filter(id => id !== key)].join(',') })}
            />
            {search.columns !== undefined && (
              <Button tone="quiet" className="mt-1 w-full" onClick={() => onSearch({ ...search, columns: undefined })}>
                {`The usual ${usualColumns(procedure).length}`}
              </Button>
            )}
          </Popover>
        )}
        <Button icon="link" onClick={() => setAsking(true)}>
          Query
        </Button>
        <IconButton
          label="Refresh"
          icon="again"
          onClick={() => {
            onReadAgain?.()
            readAgain()
          }}
        />
        <LinkButton
          tone="quiet"
          icon="trash"
          to="/procedure/$procedureShortId/trash"
          params={{ procedureShortId: procedure.shortId }}
        >
          <span className="max-sm:sr-only">Trash</span>
        </LinkButton>
        <p role="status" className="ml-auto text-[13px] text-ink-2">
          {matching !== undefined
            ? countText(matching, search)
            : foundSoFar > 0 && `${foundSoFar.toLocaleString()} found so far, and more`}
        </p>
      </div>
      {isFiltering && (
        <section
          id="filter"
          aria-label="Filter"
          className="max-h-[45dvh] shrink-0 overflow-y-auto rounded-card border border-line bg-surface p-3"
        >
          <FilterBuilder
            procedure={procedure}
            where={where}
            onChange={changed => onSearch({ ...search, where: changed })}
          />
          {where !== undefined && (
            <div className="mt-2 flex gap-2">
              <Button icon="check" onClick={() => setFiltering(false)}>
                Done
              </Button>
              <Button tone="quiet" icon="close" onClick={clear}>
                Clear the filter
              </Button>
            </div>
          )}
        </section>
      )}
      {!isFiltering && where !== undefined && (
        <FilterChips procedure={procedure} where={where} onOpen={() => setFiltering(true)} onClear={clear} />
      )}
      <ShownRequest
        title="What this page asks the API"
        method="POST"
        path={`/v1/ext/procedure/${encodeURIComponent(procedure.shortId)}/process/list`}
        body={buildListBody(search)}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
      />
    </>
  )
}

function countText(matching: number, { where, search }: ListSearch): string {
  const count = howMany(matching, 'process', 'processes')
  return where === undefined && search === undefined ? count : `${count} found`
}

const WAIT_MS = 300

/** Words that processes have, asked for once the reader stops typing. The key `/` leads here. */
function SearchField({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const [searched, setSearched] = useState(text)
  // Something else has changed the address.
  if (text !== searched) {
    setSearched(text)
    setTyped(text)
  }
  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === searched) return
    const timer = setTimeout(() => {
      setSearched(wanted)
      onSearch(wanted)
    }, WAIT_MS)
    return () => clearTimeout(timer)
  }, [typed, searched, onSearch])
  return (
    <TextInput
      type="search"
      aria-label="Search words"
      placeholder="Search …  /"
      className="w-64! max-sm:w-full!"
      maxLength={200}
      value={typed}
      onChange={event => setTyped(event.target.value)}
      onKeyDown={event => event.key === 'Escape' && event.currentTarget.blur()}
    />
  )
}

interface FilterChipsProps {
  procedure: Procedure
  where: Query
  onOpen: () => void
  onClear: () => void
}

/** A filter that is on, in one line: what it says, and the way to its conditions. */
function FilterChips({ procedure, where, onOpen, onClear }: FilterChipsProps) {
  const users = useConfig()?.users
  const words = useMemo(
    () => formatFilter(parseTree(where), listFilterFields(procedure, users ?? [])),
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

interface ShownRequestProps {
  title: string
  method: string
  path: string
  body: unknown
  isOpen: boolean
  onClose: () => void
}

/** Shows the request of the page, for use in a program. */
function ShownRequest({ title, method, path, body, isOpen, onClose }: ShownRequestProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} size="medium">
      <div className="flex flex-col gap-3">
        <p className="text-ink-2">
          <code className="font-mono">
            {method} {path}
          </code>
        </p>
        <Json value={body} label="Body" />
        <p className="text-ink-2">The same from a command line; the token is that of an API key.</p>
        <Code text={formatCurl(method, path, { body })} label="Request as curl" />
      </div>
    </Dialog>
  )
}
