import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { CallResult, DeliveryFailure, JobRetries, Procedure } from 'caseworker'
import { useConfig } from '../api/me.ts'
import { listRows, readPages } from '../api/read.ts'
import { UserLink } from '../parts/author/links.tsx'
import { JobStatus } from '../parts/background-job/job-status.tsx'
import { PlanDetails } from '../parts/background-job/plan-details.tsx'
import { isJobPaused, isOver, listParts } from '../parts/background-job/statuses.ts'
import { usePlan } from '../parts/background-job/use-plan.ts'
import { Status } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Bar, Legend } from '../parts/chart.tsx'
import { Copyable } from '../parts/code.tsx'
import { DELIVERY_STATUSES } from '../parts/message/delivery-status.ts'
import { Card, Facts, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { Spoken } from '../parts/text/spoken.tsx'
import { Time } from '../parts/time.tsx'
import { formatDuration, SECOND_MS } from '../parts/times.ts'
import { Entries } from './entries.tsx'
import { FailureGroups, useAttributeWords } from './failure-groups.tsx'
import { JobActions } from './job-actions.tsx'
import { useJob, usePace } from './use-job.ts'

const route = getRouteApi('/frame/background-job/$jobId')
/** The remaining time is an estimate, which says nothing below this. */
const LEFT_MS_MIN = SECOND_MS
const WITHIN = [{ label: 'Jobs', to: '/background-job' as const }]

export function JobPage() {
  const { jobId } = route.useParams()
  const job = useJob(jobId)
  return (
    <Page
      title={job.data?.data.title ?? 'Job'}
      within={WITHIN}
      mark={job.data && <JobStatus job={job.data.data} />}
      actions={
        job.data && (
          <JobActions
            job={job.data.data}
            counts={job.data.meta.bjEntryCompletionStatusVsCount}
            hasMessages={job.data.meta.deliveryStatusVsCount !== undefined}
            retries={job.data.meta.retries}
            undoneBy={job.data.meta.undoneBy}
            appliedBy={job.data.meta.appliedBy}
            continuedBy={job.data.meta.continuedBy}
          />
        )
      }
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
  const parts = listParts(counts, isJobPaused(job))
  const progress = job.statusMessage ?? 'Not started yet'
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
            {job.progress.limitedBy === 'team-share' && ' · waits until other jobs of the team have ended'}
            {pace && (
              <span className="text-ink-2">
                {` · ${Math.round(pace.perSecond).toLocaleString()} a second, about ${formatDuration(Math.max(LEFT_MS_MIN, pace.leftMs))} left, until `}
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
              ['Took', isOver(job) && job.startedAt ? formatDuration(job.completedAt - job.startedAt) : null],
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
                    entries of this job
                  </Link>
                ),
              ],
              [
                'Undoes',
                job.undoOf === null ? null : <JobLink key="undoes" id={job.undoOf} text="the changes of this job" />,
              ],
              ['Applies', job.applyOf === null ? null : <JobLink key="applies" id={job.applyOf} text="this dry run" />],
              ['Applied by', meta.appliedBy ? <JobLink key="applied" id={meta.appliedBy} text="this job" /> : null],
              ['Rest run by', meta.continuedBy ? <JobLink key="rest" id={meta.continuedBy} text="this job" /> : null],
              ['Undone by', meta.undoneBy ? <JobLink key="undone" id={meta.undoneBy} text="this job" /> : null],
            ]}
          />
        </Card>
        {meta.deliveryStatusVsCount && (
          <Deliveries
            jobId={job.id}
            counts={meta.deliveryStatusVsCount}
            failures={meta.deliveryFailures ?? []}
            isComplete={meta.isDeliveryCountComplete ?? true}
          />
        )}
        {counts.ERROR + counts.INVALID > 0 && <FailureGroups job={job} counts={counts} />}
      </div>
      {job.dryRun && isOver(job) && (
        <Card title="What would change">
          <WouldChange jobId={job.id} procedure={procedure} />
        </Card>
      )}
      <Entries jobId={job.id} procedureId={job.procedure} counts={counts} total={job.total} />
    </>
  )
}

function WouldChange({ jobId, procedure }: { jobId: string; procedure: Procedure | undefined }) {
  const words = useAttributeWords(procedure?.id ?? null)
  return (
    <Loaded query={usePlan(jobId)} lines={4}>
      {plan => <PlanDetails plans={[plan]} procedure={procedure} words={words} hasFailures />}
    </Loaded>
  )
}

const JobLink = ({ id, text }: { id: string; text: string }) => (
  <Link to="/background-job/$jobId" params={{ jobId: id }} search={{}} className="hover:underline">
    {text}
  </Link>
)

/** Shows the totals of the retries beside the job, which itself does not change any more. */
function AfterRetries({ retries }: { retries: JobRetries }) {
  const counts = retries.bjEntryCompletionStatusVsCount
  const parts = counts ? listParts(counts).filter(({ value }) => value > 0) : []
  return (
    <p className="text-ink-2">
      {`With ${retries.entries.toLocaleString()} retried`}
      {parts.length > 0 && ': '}
      {parts.map(({ label, value }) => `${value.toLocaleString()} ${label.toLowerCase()}`).join(', ')}
      {' · '}
      <Link to="/background-job/$jobId" params={{ jobId: retries.newest }} search={{}} className="underline">
        the newest retry
      </Link>
    </p>
  )
}

interface DeliveriesProps {
  jobId: string
  counts: Record<string, number>
  failures: readonly DeliveryFailure[]
  isComplete: boolean
}

/**
 * Shows the delivery of the messages of a job and of its retries, as far as the provider has reported, and why some
 * failed.
 */
function Deliveries({ jobId, counts, failures, isComplete }: DeliveriesProps) {
  const parts = DELIVERY_STATUSES.map(({ status, label, color }) => ({ label, color, value: counts[status] ?? 0 }))
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  return (
    <Card
      title="Messages"
      actions={
        <Link to="/message" search={{ backgroundJob: jobId }} className="text-[13px] text-ink-2 hover:underline">
          See them
        </Link>
      }
    >
      <div className="flex flex-col gap-3">
        {total === 0 && <p className="text-ink-2">None has been taken by the provider yet.</p>}
        <Bar parts={parts} total={total} label="Messages" />
        <Legend parts={parts.filter(({ value }) => value > 0)} />
        {!isComplete && (
          <p className="text-[13px] text-ink-2">
            There are more: only those of the first entries were counted in time.
          </p>
        )}
        {failures.length > 0 && (
          <ul className="flex flex-col gap-0.5">
            {failures.map(({ code, title, advice, count }) => (
              <li key={code}>
                <Link
                  to="/message"
                  search={{ backgroundJob: jobId, status: 'FAILED' }}
                  className="-mx-2 flex items-baseline gap-3 rounded-md px-2 py-1 hover:bg-hover"
                >
                  <b className="min-w-12 text-right font-semibold">{count.toLocaleString()}</b>
                  <span className="min-w-0 break-words">
                    {title ?? 'Not sent'} {code !== null && <code className="text-xs text-ink-2">{code}</code>}
                    {advice && <span className="block text-[13px] text-ink-2">{advice}</span>}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}

const LIMIT = 20

/** The jobs that run the failed entries of this one again. */
function Retries({ jobId }: { jobId: string }) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    readPages('listJobs', cursor => ({ query: { retryOf: jobId, limit: LIMIT, ...(cursor ? { cursor } : {}) } })),
  )
  const jobs = listRows(data)
  return (
    <span className="flex flex-col items-start gap-1">
      {data && jobs.length === 0 && !hasNextPage && '–'}
      {jobs.map(({ id, createdAt, completionStatus }) => (
        <Link
          key={id}
          to="/background-job/$jobId"
          params={{ jobId: id }}
          search={{}}
          className="inline-flex items-center gap-1.5 text-accent hover:underline"
        >
          <span>
            a job of <Time at={createdAt} />
          </span>
          <Status of={completionStatus} />
        </Link>
      ))}
      {hasNextPage && (
        <Button tone="quiet" isPending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Look among older jobs
        </Button>
      )}
    </span>
  )
}
