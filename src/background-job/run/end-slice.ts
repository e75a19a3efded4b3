import type { Statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import type { Team } from '../../scope.ts'
import { SECOND_MS } from '../../time-units.ts'
import { withTimeout } from '../../timeout.ts'
import { insertEventIfEnded } from '../events.ts'
import { finishJob } from '../job-rows.ts'
import { getQueue, toJobMessage, toLogFields } from '../queue.ts'
import { hasEnded, isDone, type JobRow } from '../rules.ts'
import { type NextJob, selectNextJob } from '../team-concurrency.ts'
import { nextTryAt, parseUnfinished } from '../unfinished.ts'
import type { JobEngine } from './engine.ts'
import { reportProgress } from './report-progress.ts'
import type { JobSlice } from './slice.ts'

/** After a slice: completes the job, or sends the message of its next slice. */
export async function endSlice(slice: JobSlice): Promise<void> {
  const { engine, team, job, wait } = slice
  if (hasEnded(job)) return
  if (isDone(job)) {
    await endJob(slice, finishJob(team.no, job.no, Date.now()))
    return
  }
  // A paused job is woken when it can go on.
  if (wait?.pause) return
  const nextAt = job.cursor === job.total ? nextTryAt(parseUnfinished(job)) : undefined
  const ms = wait?.ms ?? (nextAt === undefined ? 0 : nextAt - Date.now())
  const options = ms > 0 ? { delaySeconds: Math.ceil(ms / SECOND_MS) } : {}
  await withTimeout(engine.settings.timeLimitMs, () =>
    engine.queues[getQueue(job)].send(toJobMessage(team, job), options),
  )
}

/**
 * Ends the job, reports it to its object, and gives the next job of the team its turn. Only one runner gets the row: of a
 * job that has ended there is none.
 */
export async function endJob(
  { engine, team, job, cost }: Pick<JobSlice, 'engine' | 'team' | 'job' | 'cost'>,
  end: Statement<JobRow>,
): Promise<JobRow | undefined> {
  const { settings, openDb, progress } = engine
  const writer = { db: openDb(cost), idempotency: null }
  const ended = insertEventIfEnded(team.no, job.no, Date.now())
  const effect = [end, ended, selectNextJob(team.no, job, settings.teamJobs)] as const
  const [{ rows }, , next] = await write(writer, { effect, outcome: null })
  const [row] = rows
  if (!row) return undefined
  await Promise.all([
    reportProgress(settings, () => progress(team.no, job.no), { team, job: row }),
    engine.committed(team),
    ...next.rows.map(each => sendNextMessage(engine, team, each)),
  ])
  return row
}

/** If it does not get through, the cron sends it. */
export const sendNextMessage = (
  { queues, settings }: Pick<JobEngine, 'queues' | 'settings'>,
  team: Pick<Team, 'no' | 'id'>,
  next: NextJob,
): Promise<unknown> =>
  withTimeout(settings.timeLimitMs, () => queues[getQueue(next)].send(toJobMessage(team, next))).catch(
    (error: unknown) => console.warn(JSON.stringify({ ...toLogFields(team, next), unsent: String(error) })),
  )
