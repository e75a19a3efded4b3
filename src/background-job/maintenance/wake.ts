import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { assignments, fields, type RowOf, type Statement, select, statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { BACKLOG_COUNT_MAX, type Backlog, type MaintenanceTask } from '../../maintenance-task.ts'
import { team } from '../../team/table.ts'
import { withTimeout } from '../../timeout.ts'
import { getQueue, type JobQueues, toJobMessage } from '../queue.ts'
import type { JobSettings } from '../settings.ts'
import { backgroundJob as job } from '../table.ts'
import { whereStoredMayRun } from '../team-concurrency.ts'

/** The queue takes so many messages in one call. */
const WAKES_PER_STEP = 100

/** Sends the queue message of jobs without progress, and of jobs whose `startAt` is reached. Those of suspended teams are looked at again later. */
export const createWakeTask = (
  db: () => Db,
  queues: JobQueues,
  { resendAfterMs, timeLimitMs, teamJobs }: JobSettings,
  now: number,
): MaintenanceTask => ({
  async step() {
    const jobs = await startDueJobs(db, await silentJobs(db(), now, teamJobs), { now, teamJobs })
    if (jobs.length > 0) {
      const runnable = jobs.filter(({ mayRun, isSuspended }) => mayRun === 1 && isSuspended === 0)
      for (const [name, some] of Map.groupBy(runnable, getQueue)) {
        const messages = some.map(each => ({ body: toJobMessage({ no: each.team, id: each.teamId }, each) }))
        await withTimeout(timeLimitMs, () => queues[name].sendBatch(messages))
      }
      // Sent first, marked second: after a failure in between the message is sent again, which has no effect.
      const numbers = jobs.map(({ no }) => no)
      await write({ db: db(), idempotency: null }, { effect: [markWoken(numbers, now, resendAfterMs)], outcome: null })
    }
    return { done: jobs.length, hasMore: jobs.length === WAKES_PER_STEP }
  },
  async backlog() {
    const [[backlog]] = await db().read(selectSilentBacklog(now))
    return backlog ?? { left: 0, dueSince: null }
  },
})

const whereSilent = (now: number): SQL => sql`${job.completedAt} = 0 AND ${job.wakeAt} <= ${now}`

const selectSilentBacklog = (now: number): Statement<Backlog> =>
  select(
    { left: sql<number>`count(*)`, dueSince: sql<number | null>`min(due)` },
    sql`FROM (SELECT ${job.wakeAt} AS due FROM ${job} INDEXED BY background_job_wake WHERE ${whereSilent(now)} LIMIT ${BACKLOG_COUNT_MAX})`,
  )

const SILENT_FIELDS = {
  team: job.team,
  teamId: team.id,
  no: job.no,
  id: job.id,
  revision: job.revision,
  queue: job.queue,
  completionStatus: job.completionStatus,
}
type SilentJob = RowOf<typeof SILENT_FIELDS> & { mayRun: number; isSuspended: number }

async function silentJobs(db: Db, now: number, teamJobs: number): Promise<SilentJob[]> {
  const [jobs] = await db.read(
    select(
      {
        ...SILENT_FIELDS,
        mayRun: whereStoredMayRun(teamJobs),
        // `team-status/suspension.ts`
        isSuspended: sql<number>`${team.suspendedAt} IS NOT NULL`,
      },
      sql`FROM ${job} INDEXED BY background_job_wake CROSS JOIN ${team} ON ${team.no} = ${job.team}
        WHERE ${whereSilent(now)} ORDER BY ${job.wakeAt} LIMIT ${WAKES_PER_STEP}`,
    ),
  )
  return jobs
}

/** A job whose `startAt` is reached takes its place among the others of its team before anybody asks whose turn it is. */
async function startDueJobs(
  db: () => Db,
  jobs: SilentJob[],
  { now, teamJobs }: { now: number; teamJobs: number },
): Promise<SilentJob[]> {
  const due = jobs
    .filter(({ completionStatus, isSuspended }) => completionStatus === 'NOT_STARTED' && isSuspended === 0)
    .map(({ no }) => no)
  if (due.length === 0) return jobs
  const started = assignments(job, { completionStatus: 'IN_PROGRESS', startedAt: now })
  const start = statement(sql`UPDATE ${job} SET ${started} WHERE ${job.completionStatus} = 'NOT_STARTED'
    AND ${job.no} IN (SELECT value FROM json_each(${JSON.stringify(due)}))`)
  await write({ db: db(), idempotency: null }, { effect: [start], outcome: null })
  return silentJobs(db(), now, teamJobs)
}

const markWoken = (numbers: number[], now: number, resendAfterMs: number): Statement =>
  statement(sql`UPDATE ${job} SET ${assignments(job, { wakeAt: now + resendAfterMs })}
    WHERE ${job.completedAt} = 0 AND ${job.wakeAt} <= ${now}
      AND ${job.no} IN (SELECT value FROM json_each(${JSON.stringify(numbers)}))`)

/**
 * Paused jobs that can go on are due at once. `isBlocked` comes from the feature that pauses jobs: whether what `pausedBy` names
 * still does not work.
 */
export const createResumeTask = (db: () => Db, isBlocked: (pausedBy: SQL) => SQL, now: number): MaintenanceTask => ({
  async step() {
    const [{ changes }] = await write(
      { db: db(), idempotency: null },
      {
        effect: [
          statement(sql`UPDATE ${job} SET ${assignments(job, { wakeAt: now, pausedBy: null })} WHERE ${job.no} IN
            (SELECT ${fields({ no: job.no })} FROM ${job} INDEXED BY background_job_paused
              WHERE ${job.pausedBy} IS NOT NULL AND NOT ${isBlocked(job.pausedBy.getSQL())} LIMIT ${WAKES_PER_STEP})`),
        ],
        outcome: null,
      },
    )
    return { done: changes, hasMore: changes === WAKES_PER_STEP }
  },
})
