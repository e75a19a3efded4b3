import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { assignments, fields, type RowOf, type Statement, select, statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { BACKLOG_COUNT_MAX, type Backlog, type MaintenanceTask } from '../../maintenance-task.ts'
import { team } from '../../team/table.ts'
import { withTimeout } from '../../timeout.ts'
import { getQueue, type JobQueues, toJobMessage } from '../queue.ts'
import type { JobQueue } from '../rules.ts'
import type { JobSettings } from '../settings.ts'
import { backgroundJob as job } from '../table.ts'
import { whereStoredMayRun } from '../team-concurrency.ts'

/** The queue takes so many messages in one call. */
const WAKES_PER_STEP = 100

/**
 * Sends the queue message of jobs without progress, and of jobs whose `startAt` is reached. Those of suspended teams are looked at
 * again later. The jobs of a queue that takes no message stay silent until the next run, and keep no job of another queue waiting.
 */
export function createWakeTask(
  db: () => Db,
  queues: JobQueues,
  { resendAfterMs, timeLimitMs, teamJobs }: JobSettings,
  now: number,
): MaintenanceTask {
  const failed = new Map<JobQueue, unknown>()
  const trySend = async (name: JobQueue, jobs: readonly SilentJob[]): Promise<void> => {
    const messages = jobs.map(each => ({ body: toJobMessage({ no: each.team, id: each.teamId }, each) }))
    try {
      await withTimeout(timeLimitMs, () => queues[name].sendBatch(messages))
    } catch (error) {
      failed.set(name, error)
    }
  }
  return {
    async step() {
      const scope = { now, teamJobs, except: [...failed.keys()] }
      const jobs = await startDueJobs(db, await silentJobs(db(), scope), scope)
      const runnable = jobs.filter(({ mayRun, isSuspended }) => mayRun === 1 && isSuspended === 0)
      for (const [name, some] of Map.groupBy(runnable, getQueue)) await trySend(name, some)
      // Sent first, marked second: after a failure in between the message is sent again, which has no effect.
      const numbers = jobs.filter(job => !failed.has(getQueue(job))).map(({ no }) => no)
      if (numbers.length > 0)
        await write(
          { db: db(), idempotency: null },
          { effect: [markWoken(numbers, now, resendAfterMs)], outcome: null },
        )
      if (jobs.length === WAKES_PER_STEP) return { done: numbers.length, hasMore: true }
      if (failed.size > 0)
        throw new Error(`no message was taken by ${[...failed.keys()].join(', ')}`, { cause: [...failed.values()][0] })
      return { done: numbers.length, hasMore: false }
    },
    async backlog() {
      const [[backlog]] = await db().read(selectSilentBacklog(now))
      return backlog ?? { left: 0, dueSince: null }
    },
  }
}

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

interface WakeScope {
  now: number
  teamJobs: number
  /** The queues that have taken no message in this run. */
  except: readonly JobQueue[]
}

async function silentJobs(db: Db, { now, teamJobs, except }: WakeScope): Promise<SilentJob[]> {
  const [jobs] = await db.read(
    select(
      {
        ...SILENT_FIELDS,
        mayRun: whereStoredMayRun(teamJobs),
        // `team-status/suspension.ts`
        isSuspended: sql<number>`${team.suspendedAt} IS NOT NULL`,
      },
      sql`FROM ${job} INDEXED BY background_job_wake CROSS JOIN ${team} ON ${team.no} = ${job.team}
        WHERE ${whereSilent(now)} AND ifnull(${job.queue}, 'jobs') NOT IN (SELECT value FROM json_each(${JSON.stringify(except)}))
        ORDER BY ${job.wakeAt} LIMIT ${WAKES_PER_STEP}`,
    ),
  )
  return jobs
}

/** A job whose `startAt` is reached takes its place among the others of its team before anybody asks whose turn it is. */
async function startDueJobs(db: () => Db, jobs: SilentJob[], scope: WakeScope): Promise<SilentJob[]> {
  const { now } = scope
  const due = jobs
    .filter(({ completionStatus, isSuspended }) => completionStatus === 'NOT_STARTED' && isSuspended === 0)
    .map(({ no }) => no)
  if (due.length === 0) return jobs
  const started = assignments(job, { completionStatus: 'IN_PROGRESS', startedAt: now })
  const start = statement(sql`UPDATE ${job} SET ${started} WHERE ${job.completionStatus} = 'NOT_STARTED'
    AND ${job.no} IN (SELECT value FROM json_each(${JSON.stringify(due)}))`)
  await write({ db: db(), idempotency: null }, { effect: [start], outcome: null })
  return silentJobs(db(), scope)
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
