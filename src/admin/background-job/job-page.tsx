import { getRouteApi, Link } from '@tanstack/react-router'
import type { CallResult, JobRetries } from 'caseworker'
import { useConfig } from '../api/me.ts'
import { UserLink } from '../parts/author/links.tsx'
import { Bar, Legend } from '../parts/chart.tsx'
import { Copyable } from '../parts/code.tsx'
import { JobStatus } from '../parts/job/job-status.tsx'
import { isOver, isPaused, partsOf } from '../parts/job/statuses.ts'
import { useDeed } from '../parts/job/use-deed.ts'
import { Card, Facts, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { Spoken } from '../parts/text/spoken.tsx'
import { Time } from '../parts/time/time.tsx'
import { durationOf } from '../parts/time/time-words.ts'
import { Deliveries } from './deliveries.tsx'
import { Entries } from './entries.tsx'
import { FailureGroups } from './failure-groups.tsx'
import { JobActions } from './job-actions.tsx'
import { usePace } from './pace.ts'
import { Retries } from './retries.tsx'
import { useJob } from './use-job.ts'

const route = getRouteApi('/frame/background-job/$jobId')
const WITHIN = [{ label: 'Jobs', to: '/background-job' as const }]

export function JobPage() {
  const { jobId } = route.useParams()
  const job = useJob(jobId)
  const title = useDeed(job.data?.data)
  return (
    <Page
      title={title}
      within={WITHIN}
      mark={job.data && <JobStatus job={job.data.data} />}
      actions={job.data && <JobActions job={job.data.data} counts={job.data.meta.bjEntryCompletionStatusVsCount} />}
    >
      <Loaded query={job}>{result => <JobDetails result={result} />}</Loaded>
    </Page>
  )
}

function JobDetails({ result: { data: job, meta } }: { result: CallResult<'getJob'> }) {
  const config = useConfig()
  const counts = meta.bjEntryCompletionStatusVsCount
  const left = counts.NOT_STARTED + counts.IN_PROGRESS
  const pace = usePace(job.total - left, job.total, !isOver(job) && !job.isCollecting)
  const procedure = config?.procedures.find(({ id }) => id === job.procedure)
  const parts = partsOf(counts, isPaused(job))
  const progress = job.isCollecting
    ? `Finding the processes: ${job.total.toLocaleString()} so far`
    : (job.statusMessage ?? 'Not started yet')
  return (
    <>
      <Card>
        <div className="flex flex-col gap-3">
          <Spoken text={progress} isLast={isOver(job)} />
          <p className="text-[15px]">
            {progress}
            {job.startAt !== null && job.completionStatus === 'NOT_STARTED' && (
              <>
                : starts <Time at={job.startAt} isRelative />, on <Time at={job.startAt} />
              </>
            )}
            {pace && (
              <span className="text-ink-2">
                {` · ${Math.round(pace.perSecond).toLocaleString()} a second, about ${durationOf(pace.leftMs)} left, until `}
                <Time at={Date.now() + pace.leftMs} />
              </span>
            )}
          </p>
          <Bar parts={parts} total={job.total} label="Entries" />
          <Legend parts={parts.filter(({ value }) => value > 0)} />
          {meta.retries && <AfterRetries retries={meta.retries} />}
        </div>
      </Card>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <Card title="About it">
          <Facts
            facts={[
              ['Id', <Copyable key="id" text={job.id} />],
              ['Procedure', procedure?.name],
              ['By', <UserLink key="by" id={job.createdBy} />],
              ['Created', <Time key="created" at={job.createdAt} />],
              ['To start', job.startAt === null ? null : <Time key="start" at={job.startAt} />],
              ['Started', job.startedAt ? <Time key="started" at={job.startedAt} /> : null],
              ['Ended', isOver(job) ? <Time key="ended" at={job.completedAt} /> : null],
              ['Took', isOver(job) && job.startedAt ? durationOf(job.completedAt - job.startedAt) : null],
              ['Retried by', isOver(job) && counts.ERROR > 0 ? <Retries key="retried" jobId={job.id} /> : null],
              [
                'Retries',
                job.retryOf === null ? null : (
                  <Link
                    key="retry"
                    to="/background-job/$jobId"
                    params={{ jobId: job.retryOf }}
                    className="hover:underline"
                  >
                    the failed entries of this job
                  </Link>
                ),
              ],
            ]}
          />
        </Card>
        {meta.deliveryStatusVsCount && (
          <Deliveries jobId={job.id} counts={meta.deliveryStatusVsCount} failures={meta.deliveryFailures ?? []} />
        )}
        {counts.ERROR + counts.INVALID > 0 && (
          <FailureGroups jobId={job.id} procedureId={job.procedure} counts={counts} />
        )}
      </div>
      <Entries jobId={job.id} procedureId={job.procedure} counts={counts} total={job.total} />
    </>
  )
}

/** The job itself does not change any more: what its retries came to stands beside it. */
function AfterRetries({ retries }: { retries: JobRetries }) {
  const parts = partsOf(retries.bjEntryCompletionStatusVsCount).filter(({ value }) => value > 0)
  return (
    <p className="text-ink-2">
      {`With ${retries.entries.toLocaleString()} retried: `}
      {parts.map(({ label, value }) => `${value.toLocaleString()} ${label.toLowerCase()}`).join(', ')}
      {' · '}
      <Link to="/background-job/$jobId" params={{ jobId: retries.newest }} search={{}} className="underline">
        the newest retry
      </Link>
    </p>
  )
}
