import { jsonResponse } from '../../http/response/envelope.ts'
import { toWarningsMeta } from '../../http/response/warnings.ts'
import type { Call } from '../../http/route.ts'
import type { May } from '../../permissions.ts'
import type { Scope } from '../../scope.ts'
import { withTimeout } from '../../timeout.ts'
import { getQueue, getQueues, toJobMessage, toLogFields } from '../queue.ts'
import { toJobMeta, viewJob } from '../read/view.ts'
import { hasEnded, type JobRow, retryAfterSeconds } from '../rules.ts'
import { sendNextMessage } from '../run/end-slice.ts'
import type { DryRunQuery } from '../schema.ts'
import { type JobSettings, readJobSettings } from '../settings.ts'
import { selectNextJob } from '../team-concurrency.ts'
import type { AcceptedJob, AcceptedRow } from './accept-job.ts'

type RequestContext = Call<unknown, unknown, unknown>['c']

export const JOBS = '/v1/ext/background-job'
export const BULK_BODY_BYTES_MAX = 32 * 1024 * 1024
/** A body that is read line by line. */
export const STREAM_BODY_BYTES_MAX = 100_000_000

/** What a request that is accepted as a job comes with, beside its body. */
export interface JobRequest {
  settings: JobSettings
  may: May
  /** Where the entries of large jobs and of ended ones are: a retry reads them. */
  archive: Pick<R2Bucket, 'get' | 'put'>
  /** It asks for a dry run. */
  isDryRun: boolean
}

export const toJobRequest = (c: RequestContext, query: DryRunQuery = {}): JobRequest => ({
  settings: readJobSettings(c.env),
  may: c.var.may,
  archive: c.env.ARCHIVE,
  isDryRun: query.dryRun === 'true',
})

/** The response does not wait for the message. */
export async function startJob(c: RequestContext, scope: Scope, accepted: Promise<AcceptedJob>): Promise<AcceptedRow> {
  const { job, mayRun } = await accepted
  if (job.startAt === null && mayRun) sendJobMessage(c, scope, job)
  return job
}

/** The job stands whether or not its message gets through: the task 'wake jobs' sends it again. */
export function sendJobMessage(c: RequestContext, { team }: Scope, job: JobRow): void {
  if (hasEnded(job)) return
  const { timeLimitMs } = readJobSettings(c.env)
  const sending = withTimeout(timeLimitMs, () => getQueues(c.env)[getQueue(job)].send(toJobMessage(team, job)))
  const warn = (error: unknown) => console.warn(JSON.stringify({ ...toLogFields(team, job), unsent: String(error) }))
  c.executionCtx.waitUntil(sending.catch(warn))
}

/** A job that was cancelled makes room for another one of the team. */
export function sendNextJobMessage(c: RequestContext, { db, team }: Scope, ended: JobRow): void {
  if (!hasEnded(ended)) return
  const settings = readJobSettings(c.env)
  const sending = async () => {
    const [next] = await db.reconnect().read(selectNextJob(team.no, ended, settings.teamJobs))
    for (const each of next) await sendNextMessage({ queues: getQueues(c.env), settings }, team, each)
  }
  const warn = (error: unknown) =>
    console.warn(JSON.stringify({ ...toLogFields(team, ended), nextUnsent: String(error) }))
  c.executionCtx.waitUntil(sending().catch(warn))
}

const getHeaders = (job: JobRow): Record<string, string> =>
  hasEnded(job) ? {} : { 'retry-after': String(retryAfterSeconds(job)) }

/** `more` is what the fetch of a job says besides. */
export const respondWithJob = (
  status: 200 | 202,
  job: AcceptedRow,
  { team }: Scope,
  more: Record<string, unknown> = {},
) =>
  jsonResponse(status, viewJob(team, job), {
    meta: { ...toJobMeta(job), ...more, ...toWarningsMeta(job.warnings) },
    headers: { ...getHeaders(job), ...(status === 202 ? { location: `${JOBS}/${job.id}` } : {}) },
  })

export const respondAccepted = (job: AcceptedRow, { scope }: { scope: Scope }) => respondWithJob(202, job, scope)
