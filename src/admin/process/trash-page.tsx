import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { BulkUpdateProcessesBody, DeletedProcess, Procedure } from 'caseworker'
import { useRef, useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { formatProcessName, getStateName } from '../api/procedure.ts'
import { listRows, readPages } from '../api/read.ts'
import { AttributeValue, UserName } from '../parts/attribute/attribute-value.tsx'
import { createFaultText } from '../parts/attribute/fault-text.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Menu } from '../parts/menu.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, FailureNote, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import type { RowSelection } from '../parts/table/row-table.tsx'
import { howMany } from '../parts/text/number-text.ts'
import { Time } from '../parts/time.tsx'
import { AcceptedJob } from './bulk/accepted-job.tsx'
import { OfProcedure } from './list/of-procedure.tsx'
import { ProcessLink, toListLink } from './process-link.tsx'
import { PROCESS_READS } from './process-reads.ts'
import { PurgeQuestion } from './purge.tsx'

const route = getRouteApi('/frame/procedure/$procedureShortId/trash')
const LIMIT = 100

/** The deleted processes of a procedure, last deleted first, as long as they are kept. */
export function TrashPage() {
  const { procedureShortId } = route.useParams()
  return (
    <OfProcedure shortId={procedureShortId}>
      {procedure => <Trash key={procedure.id} procedure={procedure} />}
    </OfProcedure>
  )
}

function Trash({ procedure }: { procedure: Procedure }) {
  const may = useMay()
  const path = { procedureShortId: procedure.shortId }
  const deleted = useInfiniteQuery(
    readPages('listDeletedProcesses', cursor => ({ path, query: { limit: LIMIT, ...(cursor ? { cursor } : {}) } })),
  )
  const rows = listRows(deleted.data)
  const { selected, setSelected, selection } = useSelectedRows(rows)
  const [purged, setPurged] = useState<DeletedProcess>()
  const restore = useChange('restoreProcess', {
    rereads: PROCESS_READS,
    done: ({ data }) => `${formatProcessName(procedure, data)} is restored`,
  })
  const mayRestore = may('process:write')
  const mayPurge = may('process:delete') && may('process:purge')
  // The first attribute beside the key helps to identify processes.
  const first = procedure.attributes.find(({ shortId }) => shortId !== procedure.primaryKey)
  const columns: Column<DeletedProcess>[] = [
    {
      id: 'process',
      header: 'Process',
      cell: process => <ProcessLink process={process}>{formatProcessName(procedure, process)}</ProcessLink>,
    },
    ...(first
      ? [
          {
            id: 'first',
            header: first.name,
            from: 'md' as const,
            cell: ({ data }: DeletedProcess) => (
              <AttributeValue value={data[first.shortId]} attribute={first} isPlain />
            ),
          },
        ]
      : []),
    { id: 'state', header: 'State', from: 'sm', cell: ({ state }) => getStateName(procedure, state) },
    { id: 'deleted', header: 'Deleted', cell: ({ deletedAt }) => <Time at={deletedAt} isRelative /> },
    { id: 'by', header: 'By', from: 'sm', cell: ({ deletedBy }) => <UserName id={deletedBy} /> },
    { id: 'kept', header: 'Kept until', from: 'md', cell: ({ keptUntil }) => <Time at={keptUntil} /> },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'right',
      width: 4,
      cell: process => (
        <Menu
          trigger={
            <IconButton
              label={`Restore or purge ${formatProcessName(procedure, process)}`}
              icon="more"
              className="size-6!"
            />
          }
          items={[
            mayRestore && {
              label: 'Restore',
              icon: 'undo',
              act: () => restore.mutate({ path: { ...path, processId: process.id } }),
            },
            mayPurge && { label: 'Purge …', icon: 'trash', isDanger: true, act: () => setPurged(process) },
          ]}
        />
      ),
    },
  ]
  return (
    <Page title="Trash" within={[toListLink(procedure)]} isFull>
      {selected.size > 0 && (
        <SelectedRows procedure={procedure} ids={[...selected]} onClear={() => setSelected(new Set())} />
      )}
      <Loaded query={deleted} lines={8}>
        {() => (
          <DataTable
            label={`Deleted processes of ${procedure.name}`}
            rows={rows}
            columns={columns}
            getKey={({ id }) => id}
            selection={mayRestore ? selection : undefined}
            hasMore={deleted.hasNextPage && !deleted.isFetchNextPageError}
            isReadingMore={deleted.isFetchingNextPage}
            onMore={() => void deleted.fetchNextPage()}
            empty={
              <Empty icon="trash" title="The trash is empty">
                What is deleted stays here for a while, and can be restored.
              </Empty>
            }
          />
        )}
      </Loaded>
      {purged && <PurgeQuestion procedure={procedure} process={purged} onClose={() => setPurged(undefined)} />}
    </Page>
  )
}

/** Selects rows by their ids; with Shift, all from the one that was toggled before. */
function useSelectedRows(rows: readonly DeletedProcess[]) {
  const [chosen, setSelected] = useState<ReadonlySet<string>>(new Set())
  const anchor = useRef<number>(undefined)
  // Rows that were restored or purged meanwhile are not selected any more.
  const selected = new Set(rows.map(({ id }) => id).filter(id => chosen.has(id)))
  const toggleAll = (of: readonly DeletedProcess[], isOn: boolean) => {
    const next = new Set(selected)
    for (const { id } of of) {
      if (isOn) next.add(id)
      else next.delete(id)
    }
    setSelected(next)
  }
  const selection: RowSelection = {
    has: id => selected.has(id),
    toggle: (index, isRange) => {
      const row = rows[index]
      if (!row) return
      const from = isRange ? (anchor.current ?? index) : index
      anchor.current = index
      toggleAll(rows.slice(Math.min(from, index), Math.max(from, index) + 1), !selected.has(row.id))
    },
    all: {
      label: 'Select all that were read',
      isChecked: () => rows.length > 0 && selected.size === rows.length,
      toggle: () => toggleAll(rows, selected.size < rows.length),
    },
  }
  return { selected, setSelected, selection }
}

interface SelectedRowsProps {
  procedure: Procedure
  ids: readonly string[]
  onClear: () => void
}

/** Restores the selected processes by one job, and shows how far that is. */
function SelectedRows({ procedure, ids, onClear }: SelectedRowsProps) {
  const queries = useQueryClient()
  const restore = useChange('bulkUpdateProcesses', { rereads: ['listJobs'], showsFailure: true })
  const body: BulkUpdateProcessesBody = { processes: ids.map(id => ({ id, isDeleted: false })) }
  const job = restore.data?.data
  const finish = () => {
    onClear()
    restore.reset()
    for (const each of PROCESS_READS) void queries.invalidateQueries({ queryKey: [each] })
  }
  return (
    <section
      aria-label="Selected processes"
      className="flex flex-wrap items-center gap-2 rounded-card border border-accent/40 bg-accent-soft px-3 py-2"
    >
      <b className="mr-auto font-medium">{`${ids.length.toLocaleString()} selected`}</b>
      <Button
        icon="undo"
        isPending={restore.isPending}
        onClick={() => restore.mutate({ path: { procedureShortId: procedure.shortId }, body })}
      >
        {`Restore ${howMany(ids.length, 'process', 'processes')}`}
      </Button>
      <Button tone="quiet" icon="close" onClick={onClear}>
        Clear
      </Button>
      {restore.error && <FailureNote error={restore.error} words={createFaultText(procedure)} />}
      {job && (
        <Dialog
          title="The job"
          size="medium"
          isOpen
          onClose={finish}
          footer={
            <Button tone="main" onClick={finish}>
              Close
            </Button>
          }
        >
          <AcceptedJob job={job} />
        </Dialog>
      )}
    </section>
  )
}
