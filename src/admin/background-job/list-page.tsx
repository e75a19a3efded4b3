import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { BackgroundJob } from 'caseworker'
import { useConfig } from '../api/me.ts'
import { listRows, read, readPages } from '../api/read.ts'
import { formatUserName } from '../api/user-name.ts'
import { useUserName } from '../api/users.ts'
import { JobStatus } from '../parts/background-job/job-status.tsx'
import { isJobPaused, isOver, JOB_STATUSES, listParts, STATUS_WORDS } from '../parts/background-job/statuses.ts'
import { Bar } from '../parts/chart.tsx'
import { Select } from '../parts/field.tsx'
import { Page, Tabs } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { howMany } from '../parts/text/number-text.ts'
import { DayInput, Time } from '../parts/time.tsx'
import { formatDuration } from '../parts/times.ts'
import { type JobSearch, toJobQuery } from './search.ts'

const route = getRouteApi('/frame/background-job')
const LIMIT = 100
/** The interval at which a running job is read again, and a list that has one. */
const EVERY_MS = 5_000

export function JobsPage() {
  const search = route.useSearch()
  const { status, ...filters } = search
  // The counts are of all jobs by status, so a filter hides them.
  const isFiltered = Object.keys(filters).length > 0
  const config = useConfig()
  const jobs = useInfiniteQuery({
    ...readPages('listJobs', cursor => ({
      query: { limit: LIMIT, ...toJobQuery(search), ...(cursor ? { cursor } : {}) },
    })),
    refetchInterval: ({ state }) => (listRows(state.data).some(job => !isOver(job)) ? EVERY_MS : false),
  })
  const counted = useQuery({ ...read('countJobs', {}), refetchInterval: EVERY_MS }).data
  // Numbers that are not whole are not shown.
  const counts = counted?.meta.isComplete ? counted.data : undefined
  const getCount = (of: BackgroundJob['completionStatus']) =>
    counts?.find(({ completionStatus }) => completionStatus === of)?.count ?? 0
  const getUserName = useUserName()
  const getProcedureName = (id: string | null) => config?.procedures.find(each => each.id === id)?.name ?? '–'
  const columns: Column<BackgroundJob>[] = [
    // First, so that a narrow screen shows which ones failed.
    { id: 'status', header: 'Status', cell: job => <JobStatus job={job} /> },
    {
      id: 'job',
      header: 'Job',
      cell: job => <JobDeed job={job} />,
    },
    { id: 'progress', header: 'Progress', width: 9, from: 'sm', cell: job => <JobProgress job={job} /> },
    { id: 'total', header: 'Entries', align: 'right', cell: ({ total }) => total.toLocaleString() },
    { id: 'procedure', header: 'Procedure', from: 'md', cell: job => getProcedureName(job.procedure) },
    { id: 'by', header: 'By', from: 'lg', cell: job => getUserName(job.createdBy) },
    { id: 'created', header: 'Created', from: 'sm', cell: job => <Time at={job.createdAt} isRelative /> },
    {
      id: 'took',
      header: 'Took',
      from: 'md',
      align: 'right',
      cell: job => (job.startedAt ? formatDuration((isOver(job) ? job.completedAt : Date.now()) - job.startedAt) : '–'),
    },
  ]
  return (
    <Page title="Jobs" isFull>
      <Tabs
        label="Jobs by status"
        tabs={[
          {
            label: 'All',
            count: isFiltered ? undefined : counts?.reduce((sum, { count }) => sum + count, 0),
            to: '/background-job',
            search: filters,
          },
          ...JOB_STATUSES.map(each => ({
            label: STATUS_WORDS[each],
            count: isFiltered || !counts ? undefined : getCount(each),
            to: '/background-job' as const,
            search: { ...filters, status: each },
          })),
        ]}
      />
      <JobFilters search={search} />
      <Loaded query={jobs}>
        {data => (
          <DataTable
            label="Jobs"
            lines={2}
            rows={listRows(data)}
            columns={columns}
            getKey={({ id }) => id}
            hasMore={jobs.hasNextPage}
            isReadingMore={jobs.isFetchingNextPage}
            onMore={() => void jobs.fetchNextPage()}
            empty={
              <Empty
                icon="job"
                title={
                  isFiltered
                    ? 'No jobs like this'
                    : status
                      ? `No jobs with the status ${STATUS_WORDS[status]}`
                      : 'No jobs yet'
                }
              >
                A change of many processes, or a message to many, becomes a job, with a result for each entry.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Page>
  )
}

/** Shows what the job does, and how far it is. */
function JobDeed({ job }: { job: BackgroundJob }) {
  return (
    <>
      <Link to="/background-job/$jobId" params={{ jobId: job.id }} className="font-medium hover:underline">
        {job.title}
      </Link>
      <p className="truncate text-[13px] text-ink-2" title={job.statusMessage ?? undefined}>
        {job.startAt !== null && job.completionStatus === 'NOT_STARTED' ? (
          <>
            Starts on <Time at={job.startAt} /> with {howMany(job.total, 'entry', 'entries')}
          </>
        ) : (
          job.statusMessage
        )}
      </p>
    </>
  )
}

/** Jobs of one creator, one procedure, some days; the tabs above have the status. */
function JobFilters({ search }: { search: JobSearch }) {
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
        className="w-auto! max-w-56"
        value={search.by ?? ''}
        onChange={({ target }) => set({ by: target.value || undefined })}
        options={[
          { value: '', label: 'By anybody' },
          ...(config?.users ?? []).map(user => ({ value: user.id, label: formatUserName(user) })),
        ]}
      />
      <Select
        aria-label="Procedure"
        className="w-auto! max-w-56"
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

/** A job that has ended stays as it is, so it is cached for long. */
const KEPT_MS = 60 * 60_000

/** Shows by colour how far a job is and how it went. The counts are a call for each row in the viewport. */
function JobProgress({ job }: { job: BackgroundJob }) {
  const isLive = !isOver(job) && job.completionStatus === 'IN_PROGRESS'
  const details = useQuery({
    ...read('getJob', { path: { backgroundJobId: job.id } }),
    refetchInterval: isLive ? EVERY_MS : false,
    ...(isOver(job) ? { staleTime: KEPT_MS } : {}),
    enabled: job.completionStatus !== 'NOT_STARTED' && job.completionStatus !== 'SUCCESS',
  })
  if (job.completionStatus === 'NOT_STARTED') return <Bar label="Entries" total={job.total} parts={[]} />
  if (job.completionStatus === 'SUCCESS')
    return <Bar label="Entries" total={job.total} parts={[{ label: 'Success', value: job.total, color: 'good' }]} />
  const counts = details.data?.meta.bjEntryCompletionStatusVsCount
  return counts && <Bar label="Entries" total={job.total} parts={listParts(counts, isJobPaused(job))} />
}
