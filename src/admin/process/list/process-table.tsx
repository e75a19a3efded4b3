import { getRouteApi, useElementScrollRestoration } from '@tanstack/react-router'
import type { Procedure, Process, Warning } from 'caseworker'
import { useMemo, useRef } from 'react'
import { useConfig, useMay } from '../../api/me.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Popover } from '../../parts/choice/popover.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, FailureNote, Loading } from '../../parts/states.tsx'
import { RowTable } from '../../parts/table/row-table.tsx'
import { getDrawnRowsMax, ROW_PX, type Sight } from '../../parts/table/rows-in-sight.ts'
import { BulkBar } from '../bulk/bulk-bar.tsx'
import { countChosen } from '../bulk/selection.ts'
import { useSelection } from '../bulk/use-selection.ts'
import { BothVersions } from '../change/both-versions.tsx'
import { useInPlaceChange } from '../change/in-place-change.ts'
import { ProcedureSwitch } from '../procedure-switch.tsx'
import { ViewsMenu } from '../view/views-menu.tsx'
import { ViewAs } from '../view-as.tsx'
import { buildColumns, usualColumns } from './columns.tsx'
import { useCount } from './count.ts'
import { ExportMenu } from './export-menu.tsx'
import type { ListState } from './held-pages.ts'
import { type ListSearch, listSearchedNames, sortingIn, sortText } from './list-search.ts'
import { OfProcedure } from './of-procedure.tsx'
import { Toolbar } from './toolbar.tsx'
import { useProcessRows, useShowProcess } from './use-process-rows.ts'

/** `isStep`: something that "back" undoes, not a letter that was typed. */
export type OnSearch = (search: ListSearch, isStep?: boolean) => void

interface ProcessTableProps {
  procedure: Procedure
  search: ListSearch
  onSearch: OnSearch
}

const getId = ({ id }: Process): string => id
const RESTORE_ID = 'processes'

function ProcessTable({ procedure, search, onSearch }: ProcessTableProps) {
  const may = useMay()
  const { shortId } = procedure
  // Neither a count nor a bulk request knows `search`: what the filter alone matches must not be offered as what is shown.
  const counted = useCount(shortId, search.where, search.search === undefined)
  const count = search.search === undefined ? counted.data : undefined
  const { list, pages, state, length, rowAt, onSight, warnings } = useProcessRows(shortId, search, count)
  // Once the end of the list was read, its place is the number of matches.
  const matching = search.search === undefined ? (state.end ?? count) : state.end
  const { selection, setSelection, rowSelection } = useSelection(pages, JSON.stringify([search.where, search.search]))
  const { change, clash, settle } = useInPlaceChange(procedure, useShowProcess())
  const mayChange = may('process:write')
  // biome-ignore lint/correctness/useExhaustiveDependencies: `change` is made anew each time, and always does the same
  const columns = useMemo(() => buildColumns(procedure, mayChange ? change : undefined), [procedure, mayChange])
  const shown = useMemo(() => search.columns?.split(',') ?? usualColumns(procedure), [search.columns, procedure])
  const sorting = sortingIn(search.sort)
  // The column that the list is sorted by is shown as well.
  const sorted = columns.find(({ sort }) => sort !== undefined && sort === sorting?.field)?.id ?? shown[0]
  const inOrder = useMemo(
    () => [...new Set([...shown, sorted])].flatMap(id => columns.find(each => each.id === id) ?? []),
    [shown, sorted, columns],
  )
  const isAnySelected = countChosen(selection, matching ?? 1) > 0
  const across = useRef(0)
  const scrolled = useElementScrollRestoration({ id: RESTORE_ID })?.scrollY
  return (
    <Page
      title={procedure.name}
      isFull
      actions={
        <>
          <ProcedureSwitch procedureShortId={shortId} page="process" />
          <ViewsMenu procedure={procedure} search={search} layout="table" />
          <ViewAs procedureShortId={shortId} page="process" search={search} />
          <ExportMenu procedure={procedure} search={search} />
          <SendLink procedure={procedure} search={search} />
          <AddProcesses procedureShortId={shortId} />
        </>
      }
    >
      <Toolbar
        procedure={procedure}
        search={search}
        onSearch={onSearch}
        columns={columns}
        shown={shown}
        matching={matching}
        foundSoFar={search.search === undefined || matching !== undefined ? undefined : length}
      />
      <Warnings warnings={warnings} />
      <p role="status" className="sr-only">
        {isAnySelected &&
          `Selected rows: ${countChosen(selection, matching).toLocaleString()}. The key . leads to what can be done with them.`}
      </p>
      {isAnySelected && (
        <BulkBar
          procedure={procedure}
          where={search.where}
          selection={selection}
          matching={count === undefined ? undefined : matching}
          onSelect={setSelection}
        />
      )}
      {list.error && !pages ? (
        <FailureNote error={list.error} onRetry={() => void list.refetch()} />
      ) : list.isPending ? (
        <Loading lines={8} />
      ) : (
        <RowTable
          // Another order or filter is another list, read from its beginning.
          key={JSON.stringify([search.where, search.search, search.sort])}
          label={`Processes of ${procedure.name}`}
          count={length}
          isCounted={matching !== undefined}
          rowAt={rowAt}
          onSight={onSight}
          columns={inOrder}
          getKey={getId}
          sorting={sorting}
          onSort={next => onSearch({ ...search, sort: sortText(next) }, true)}
          selection={mayChange ? rowSelection : undefined}
          scrolled={scrolled}
          across={across}
          restoreId={RESTORE_ID}
          empty={<NoProcesses procedure={procedure} search={search} onSearch={onSearch} />}
          foot={sight => <RowsFoot sight={sight} state={state} length={length} matching={matching} />}
        />
      )}
      {state.failure !== undefined && <FailureNote error={state.failure} onRetry={() => pages?.retry()} />}
      <BothVersions procedure={procedure} clash={clash} change={change} onClose={settle} />
    </Page>
  )
}

const route = getRouteApi('/frame/procedure/$procedureShortId/process')

/** The processes of a procedure: filtered, sorted, changed, exported. */
export function ProcessesPage() {
  const { procedureShortId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <OfProcedure shortId={procedureShortId} search={search}>
      {procedure => (
        <ProcessTable
          key={procedure.shortId}
          procedure={procedure}
          search={search}
          onSearch={(next, isStep = false) => void navigate({ search: next, replace: !isStep })}
        />
      )}
    </OfProcedure>
  )
}

interface NoProcessesProps {
  procedure: Procedure
  search: ListSearch
  onSearch: OnSearch
}

/** Names the attributes that a search looks into; without any, it compares the beginning of the key. */
function whereSearched(procedure: Procedure): string {
  const names = listSearchedNames(procedure)
  if (procedure.attributes.some(each => each.searchable)) return `Searched: ${names.join(', ')}.`
  return `Searched: the beginning of ${names.join(', ')}. More can be marked as searchable in the definition.`
}

/** Says that nothing matches, or that there are no processes yet. */
function NoProcesses({ procedure, search, onSearch }: NoProcessesProps) {
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

interface RowsFootProps {
  sight: Sight
  state: ListState
  /** The number of rows of the table. */
  length: number
  /** The number of matches, if it is known. */
  matching: number | undefined
}

/** Shows the position in the list and its length, and why some rows cannot be reached. */
function RowsFoot({ sight, state, length, matching }: RowsFootProps) {
  const last = Math.min(sight.last + 1, state.end ?? length)
  const rows = `Rows ${(sight.first + 1).toLocaleString()} to ${last.toLocaleString()}`
  if (length === 0) return '0 of 0'
  const drawnMax = getDrawnRowsMax(ROW_PX[1])
  return (
    <div className="flex flex-wrap justify-between gap-x-4">
      <span>{matching === undefined ? `${rows}, and more` : `${rows} of ${matching.toLocaleString()}`}</span>
      {!state.canSkip && (
        <span>Too many for a jump in this order: sort by an indexed field, or filter, to reach any row at once.</span>
      )}
      {length > drawnMax && (
        <span>{`The first ${drawnMax.toLocaleString()} can be scrolled to: for the others, filter, or turn the order round.`}</span>
      )}
    </div>
  )
}

/** Shows the API's warnings about a query that it answered nevertheless. */
function Warnings({ warnings }: { warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null
  return (
    <ul aria-label="Warnings" className="flex flex-col gap-1 rounded-card bg-warn-soft px-3 py-2 text-[13px]">
      {warnings.map(({ path, message, hint }) => (
        <li key={path} className="flex items-start gap-2">
          <Icon name="alert" className="mt-0.5 text-warn" />
          <span>
            {message}
            {hint && <span className="text-ink-2">: {hint}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** A template to all that the filter matches. A job has no search by words: with one it cannot be sent, and the button says why. */
function SendLink({ procedure: { shortId }, search: { where, search } }: { procedure: Procedure; search: ListSearch }) {
  const may = useMay()
  const plugins = useConfig()?.plugins ?? []
  if (!may('message:send') || plugins.length === 0) return null
  if (search !== undefined)
    return (
      <Popover
        label="Why no message can be sent"
        align="end"
        trigger={
          <Button icon="send" className="opacity-50">
            <span className="max-sm:sr-only">Send a message …</span>
          </Button>
        }
      >
        <p className="max-w-64 p-1">
          Messages go to what a filter finds, not to what a search finds. Clear the search to send one.
        </p>
      </Popover>
    )
  return (
    <LinkButton
      icon="send"
      to="/procedure/$procedureShortId/send"
      params={{ procedureShortId: shortId }}
      search={where === undefined ? {} : { where }}
    >
      <span className="max-sm:sr-only">Send a message …</span>
    </LinkButton>
  )
}

/** The ways to new processes: one by a form, many from a file. */
function AddProcesses({ procedureShortId }: { procedureShortId: string }) {
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
