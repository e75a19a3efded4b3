import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { BackgroundJob } from 'caseworker'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { JobStatus } from '../parts/background-job/job-status.tsx'
import { isJobPaused, listParts } from '../parts/background-job/statuses.ts'
import { Bar } from '../parts/chart.tsx'
import { MessagesByDay } from '../parts/message/messages-by-day.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { AssignedToMe } from './assigned.tsx'
import { Attention } from './attention.tsx'
import { ProcedureFigures } from './procedure-figures.tsx'

/** Shows the problems of the team, its running work, and how much there is of what. */
export function OverviewPage() {
  const may = useMay()
  return (
    <Page title="Overview">
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <AssignedToMe />
          {may('job:read') && <RunningJobs />}
        </div>
        <Attention />
      </div>
      <ProcedureFigures />
      {may('message:read') && <MessagesByDay />}
    </Page>
  )
}

const SHOWN = 5
const EVERY_MS = 5_000

/** The jobs that run now, each with how far it is, and how many wait. */
function RunningJobs() {
  const jobs = useQuery({
    ...read('listJobs', { query: { completionStatus: 'IN_PROGRESS', limit: SHOWN } }),
    refetchInterval: EVERY_MS,
  })
  const counts = useQuery({ ...read('countJobs', {}), refetchInterval: EVERY_MS }).data?.data
  const getCount = (status: BackgroundJob['completionStatus']) =>
    counts?.find(({ completionStatus }) => completionStatus === status)?.count ?? 0
  const [running, waiting] = [getCount('IN_PROGRESS'), getCount('NOT_STARTED')]
  return (
    <Card
      title="Running jobs"
      actions={
        <span className="flex gap-3 text-[13px] text-ink-2">
          {running > 0 && (
            <Link to="/background-job" search={{ status: 'IN_PROGRESS' }} className="hover:underline">
              {running.toLocaleString()} running
            </Link>
          )}
          {waiting > 0 && (
            <Link to="/background-job" search={{ status: 'NOT_STARTED' }} className="hover:underline">
              {waiting.toLocaleString()} waiting
            </Link>
          )}
          <Link to="/background-job" search={{}} className="hover:underline">
            All jobs
          </Link>
        </span>
      }
    >
      <Loaded query={jobs} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="job" title="No job is running" />
          ) : (
            <ul className="flex flex-col gap-3">
              {data.map(job => (
                <RunningJob key={job.id} job={job} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function RunningJob({ job }: { job: BackgroundJob }) {
  const details = useQuery({ ...read('getJob', { path: { backgroundJobId: job.id } }), refetchInterval: EVERY_MS })
  const counts = details.data?.meta.bjEntryCompletionStatusVsCount
  return (
    <li className="flex flex-col gap-1.5">
      <div className="flex items-baseline gap-3">
        <Link
          to="/background-job/$jobId"
          params={{ jobId: job.id }}
          title={job.title}
          className="min-w-0 flex-1 truncate hover:underline"
        >
          {job.title}
        </Link>
        {isJobPaused(job) && <JobStatus job={job} />}
        <span className="text-[13px] text-ink-2">
          <Time at={job.createdAt} isRelative />
        </span>
      </div>
      {counts && <Bar label="Entries" total={job.total} parts={listParts(counts, isJobPaused(job))} />}
      <p className="truncate text-[13px] text-ink-2" title={job.statusMessage ?? undefined}>
        {job.statusMessage}
      </p>
    </li>
  )
}
