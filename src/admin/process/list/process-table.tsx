import { useElementScrollRestoration } from '@tanstack/react-router'
import type { Procedure, Process } from 'caseworker'
import { useMemo, useRef } from 'react'
import { useMay } from '../../api/me.ts'
import { Page } from '../../parts/page.tsx'
import { FailureNote, Loading } from '../../parts/states.tsx'
import { RowTable } from '../../parts/table/row-table.tsx'
import { AddProcesses } from '../add-processes.tsx'
import { BulkBar } from '../bulk/bulk-bar.tsx'
import { chosenCount } from '../bulk/selection.ts'
import { useSelection } from '../bulk/use-selection.ts'
import { useChangeAsShown } from '../change/as-shown.ts'
import { BothVersions } from '../change/both-versions.tsx'
import { ProcedureSwitch } from '../procedure-switch.tsx'
import { ViewsMenu } from '../view/views-menu.tsx'
import { ViewAs } from '../view-as.tsx'
import { columnsOf, usualColumns } from './columns.tsx'
import { useCount } from './count.ts'
import { ExportMenu } from './export-menu.tsx'
import { type ListSearch, sortingIn, sortText } from './list-search.ts'
import { NoProcesses } from './no-processes.tsx'
import { useProcessRows } from './pages/use-process-rows.ts'
import { useShowProcess } from './rows.ts'
import { RowsFoot } from './rows-foot.tsx'
import { SendLink } from './send-link.tsx'
import { Toolbar } from './toolbar.tsx'
import { Warnings } from './warnings.tsx'

/** `isStep`: something that "back" undoes, not a letter that was typed. */
export type OnSearch = (search: ListSearch, isStep?: boolean) => void

interface ProcessTableProps {
  procedure: Procedure
  search: ListSearch
  onSearch: OnSearch
}

const idOf = ({ id }: Process): string => id
const RESTORE_ID = 'processes'

export function ProcessTable({ procedure, search, onSearch }: ProcessTableProps) {
  const may = useMay()
  const { shortId } = procedure
  // Neither a count nor a bulk request knows `search`: what the filter alone matches must not be offered as what is shown.
  const counted = useCount(shortId, search.where, search.search === undefined)
  const count = search.search === undefined ? counted.data : undefined
  const { list, pages, state, length, rowAt, onSight, warnings } = useProcessRows(shortId, search, count)
  // Once the end of the list was seen, that is how many match.
  const matching = search.search === undefined ? (state.end ?? count) : state.end
  const { selection, setSelection, rowSelection } = useSelection(pages, JSON.stringify([search.where, search.search]))
  const { change, clash, settle } = useChangeAsShown(procedure, useShowProcess())
  const mayChange = may('process:write')
  // biome-ignore lint/correctness/useExhaustiveDependencies: `change` is made anew each time, and always does the same
  const columns = useMemo(() => columnsOf(procedure, mayChange ? change : undefined), [procedure, mayChange])
  const shown = useMemo(() => search.columns?.split(',') ?? usualColumns(procedure), [search.columns, procedure])
  const sorting = sortingIn(search.sort)
  // What it is sorted by is seen, too.
  const sorted = columns.find(({ sort }) => sort !== undefined && sort === sorting?.field)?.id ?? shown[0]
  const inOrder = useMemo(
    () => [...new Set([...shown, sorted])].flatMap(id => columns.find(each => each.id === id) ?? []),
    [shown, sorted, columns],
  )
  const isAnySelected = chosenCount(selection, matching ?? 1) > 0
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
          `Selected rows: ${chosenCount(selection, matching).toLocaleString()}. The key . leads to what can be done with them.`}
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
          keyOf={idOf}
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
