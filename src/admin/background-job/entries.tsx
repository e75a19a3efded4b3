import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { BackgroundJobEntry, Config, EntryCounts } from 'caseworker'
import { type ReactNode, useState } from 'react'
import { useConfig } from '../api/me.ts'
import { listRows, readPages } from '../api/read.ts'
import { useUserName } from '../api/users.ts'
import type { FaultText } from '../parts/attribute/fault-text.ts'
import { formatEntry } from '../parts/background-job/entry-text.ts'
import { ENTRY_STATUSES, STATUS_WORDS } from '../parts/background-job/statuses.ts'
import type { Names } from '../parts/background-job/update-text.ts'
import { Status } from '../parts/badge.tsx'
import { Json } from '../parts/code.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Go } from '../parts/go.tsx'
import { Facts, Tabs } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { useAttributeWords, useGroupEntries } from './failure-groups.tsx'

const route = getRouteApi('/frame/background-job/$jobId')
const LIMIT = 100

interface EntriesProps {
  jobId: string
  procedureId: string | null
  counts: EntryCounts
  total: number
}

/** Lists the entries of a job by status; each opens with its request and its result. */
export function Entries({ jobId, procedureId, counts, total }: EntriesProps) {
  const { entries: status, why } = route.useSearch()
  const [opened, setOpened] = useState<BackgroundJobEntry>()
  const entries = useInfiniteQuery(
    readPages('listJobEntries', skip => ({
      path: { backgroundJobId: jobId },
      query: { limit: LIMIT, ...(status ? { completionStatus: status } : {}), ...(skip ? { skip: Number(skip) } : {}) },
    })),
  )
  const group = useGroupEntries(jobId, why).data
  const words = useAttributeWords(procedureId)
  const procedure = useConfig()?.procedures.find(({ id }) => id === procedureId)
  const names: Names = { procedure, getUserName: useUserName() }
  const columns: Column<BackgroundJobEntry>[] = [
    {
      id: 'index',
      header: 'Entry',
      width: 6,
      cell: entry => (
        <button type="button" className="font-medium hover:underline" onClick={() => setOpened(entry)}>
          {(entry.index + 1).toLocaleString()}
        </button>
      ),
    },
    { id: 'status', header: 'Status', width: 9, cell: entry => <Status of={entry.completionStatus} /> },
    { id: 'process', header: 'Process', width: 10, cell: entry => <EntryProcess entry={entry} /> },
    {
      id: 'what',
      header: 'What',
      from: 'md',
      cell: entry => formatEntry(entry, names),
    },
    {
      id: 'why',
      header: 'Result',
      cell: entry => formatReason(entry, words) || <EntryMessage entry={entry} />,
    },
  ]
  const tab = (entriesStatus: (typeof ENTRY_STATUSES)[number]) => ({
    label: STATUS_WORDS[entriesStatus],
    count: counts[entriesStatus],
    to: '/background-job/$jobId' as const,
    params: { jobId },
    search: { entries: entriesStatus },
  })
  return (
    <section id="entries" className="flex h-[36rem] min-h-0 flex-col gap-3">
      <Tabs
        label="Entries by status"
        tabs={[
          { label: 'All entries', count: total, to: '/background-job/$jobId', params: { jobId }, search: {} },
          ...ENTRY_STATUSES.filter(each => counts[each] > 0 || each === status).map(tab),
        ]}
      />
      {group?.entries[0] && (
        <OfGroup jobId={jobId} count={group.entries.length} hasMore={group.hasMore}>
          {formatReason(group.entries[0], words)}
        </OfGroup>
      )}
      <Loaded query={entries}>
        {data => (
          <DataTable
            label="Entries"
            rows={group?.entries ?? listRows(data)}
            columns={columns}
            getKey={({ id }) => id}
            hasMore={group === undefined && entries.hasNextPage}
            isReadingMore={entries.isFetchingNextPage}
            onMore={() => void entries.fetchNextPage()}
            empty={<Empty icon="list" title="No entries with this status" />}
          />
        )}
      </Loaded>
      <Dialog
        title={`Entry ${((opened?.index ?? 0) + 1).toLocaleString()}`}
        size="medium"
        isOpen={opened !== undefined}
        onClose={() => setOpened(undefined)}
      >
        {opened && <EntryDetails entry={opened} words={words} names={names} />}
      </Dialog>
    </section>
  )
}

interface OfGroupProps {
  jobId: string
  count: number
  /** True if the group has more entries than are shown. */
  hasMore: boolean
  children: ReactNode
}

/** Shows the reason that all listed entries share, and the way back to all that failed. */
function OfGroup({ jobId, count, hasMore, children }: OfGroupProps) {
  const { entries } = route.useSearch()
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-warn-soft px-3 py-2 text-[13px]">
      <span className="min-w-0 break-words">
        {`${hasMore ? 'The first ' : ''}${count.toLocaleString()} of this kind: `}
        {children}
      </span>
      <Link
        to="/background-job/$jobId"
        params={{ jobId }}
        search={entries ? { entries } : {}}
        hash="entries"
        className="underline"
      >
        Show all
      </Link>
    </p>
  )
}

const formatReason = ({ completionMessage, validationMessage }: BackgroundJobEntry, words: FaultText): string =>
  words({ message: completionMessage || validationMessage })

interface EntryDetailsProps {
  entry: BackgroundJobEntry
  words: FaultText
  names: Names
}

function EntryDetails({ entry, words, names }: EntryDetailsProps) {
  return (
    <div className="flex flex-col gap-4">
      <Facts
        facts={[
          ['Status', <Status key="status" of={entry.completionStatus} />],
          ['Why', formatReason(entry, words)],
          ['Process', <EntryProcess key="process" entry={entry} />],
          ['What', formatEntry(entry, names)],
        ]}
      />
      <details className="text-[13px]">
        <summary className="text-ink-2">As JSON</summary>
        <div className="mt-2 flex flex-col gap-4">
          <Json value={entry.data} label="What was asked for" />
          {(entry.completionResult ?? entry.validationResult) !== null && (
            <Json value={entry.completionResult ?? entry.validationResult} label="What came of it" />
          )}
        </div>
      </details>
    </div>
  )
}

const LINK = 'text-accent hover:underline'

const textIn = (object: unknown, name: string): string | undefined => {
  const value: unknown = typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

interface EntryProcessLink {
  name: string
  /** A path below `/admin`: the page of the process, or the list with its key where only that is known. */
  to: string
}

/** The process that an entry was about. One that was to be created and failed has none. */
function findProcess(
  { data: { apiData }, completionResult, primaryKey }: BackgroundJobEntry,
  procedures: Config['procedures'],
): EntryProcessLink | undefined {
  const named = textIn(apiData, 'procedureId')
  const procedure = procedures.find(({ id, shortId }) => id === named || shortId === named)
  if (!procedure) return undefined
  const list = `/procedure/${encodeURIComponent(procedure.shortId)}/process`
  const key = primaryKey ?? undefined
  const id = textIn(completionResult, 'id') ?? textIn(apiData, 'processId')
  if (id !== undefined) return { name: key ?? id, to: `${list}/${id}` }
  if (key === undefined || procedure.primaryKey === null) return undefined
  const where = JSON.stringify({ [procedure.primaryKey]: Reflect.get(apiData, 'primaryKeyValue') ?? key })
  return { name: key, to: `${list}?where=${encodeURIComponent(where)}` }
}

/** A link to the process of an entry. */
function EntryProcess({ entry }: { entry: BackgroundJobEntry }): ReactNode {
  const process = findProcess(entry, useConfig()?.procedures ?? [])
  return (
    process && (
      <Go to={process.to} className={LINK}>
        {process.name}
      </Go>
    )
  )
}

/** A link to the message that an entry sent. */
function EntryMessage({ entry }: { entry: BackgroundJobEntry }): ReactNode {
  const id = textIn(entry.completionResult, 'messageId')
  return (
    id !== undefined && (
      <Go to={`/message/${id}`} className={LINK}>
        the message
      </Go>
    )
  )
}
