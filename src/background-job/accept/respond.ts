import { jsonResponse } from '../../http/envelope.ts'
import type { Receipt } from '../../http/idempotency/record.ts'
import type { Call } from '../../http/route.ts'
import type { Scope } from '../../scope.ts'
import { within } from '../../timeout.ts'
import type { Asked } from '../operations.ts'
import { metaOfJob, viewJob } from '../read/view.ts'
import { hasEnded, type JobRow, retryAfterSeconds } from '../rules.ts'
import { messageOf } from '../run/turn.ts'
import { settingsOf } from '../settings.ts'

type Called = Call<unknown, unknown, unknown>['c']

export const JOBS = '/v1/ext/background-job'

export const asked = (c: Called, receipt: Receipt): Asked => ({
  settings: settingsOf(c.env),
  may: c.var.may,
  receipt,
})

/** The job stands whether or not its message gets through: the sweeper sends again what has not been heard of. */
export async function started(c: Called, scope: Scope, accepted: Promise<JobRow>): Promise<JobRow> {
  const job = await accepted
  if (!hasEnded(job) && job.startAt === null) {
    const sending = within(settingsOf(c.env).patienceMs, (async () => c.env.JOBS.send(messageOf(scope.team.no, job)))())
    c.executionCtx.waitUntil(
      sending.catch(error => console.warn(JSON.stringify({ job: job.id, unsent: String(error) }))),
    )
  }
  return job
}

const headersOf = (job: JobRow): Record<string, string> =>
  hasEnded(job) ? {} : { 'retry-after': String(retryAfterSeconds(job)) }

export const say = (status: 200 | 202, job: JobRow, { team }: Scope) =>
  jsonResponse(status, viewJob(team, job), {
    meta: metaOfJob(job),
    headers: { ...headersOf(job), ...(status === 202 ? { location: `${JOBS}/${job.id}` } : {}) },
  })

export const accepted = (job: JobRow, { scope }: { scope: Scope }) => say(202, job, scope)
