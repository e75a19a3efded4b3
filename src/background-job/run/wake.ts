import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { assignments, fields, type Statement, select, statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { withTimeout } from '../../timeout.ts'
import { type JobQueues, queueOf } from '../queue.ts'
import type { JobSettings } from '../settings.ts'
import { backgroundJob as job } from '../table.ts'
import { messageOf } from './message.ts'

/** So many messages go to the queue in one call. */
const WAKES_PER_STEP = 100
const STEPS_MAX = 20

/** What a bounded chore has done, and whether the next one has more to do. */
export interface Chore {
  done: number
  hasMore: boolean
}

/** Sends the queue message of jobs without progress, and of jobs whose `startAt` is reached. */
export async function wakeJobs(
  db: Db,
  queues: JobQueues,
  { resendAfterMs, timeLimitMs }: JobSettings,
  now: number,
): Promise<Chore> {
  let done = 0
  for (let step = 1; step <= STEPS_MAX; step++) {
    const [jobs] = await db.reconnect().read(selectSilent(now))
    if (jobs.length > 0) {
      for (const [name, some] of Map.groupBy(jobs, queueOf)) {
        const messages = some.map(each => ({ body: messageOf(each.team, each) }))
        await withTimeout(timeLimitMs, queues[name].sendBatch(messages))
      }
      // Sent first, marked second: after a failure in between the message is sent again, which has no effect.
      const numbers = jobs.map(({ no }) => no)
      await write(
        { db: db.reconnect(), idempotency: null },
        { effect: [markWoken(numbers, now, resendAfterMs)], outcome: null },
      )
    }
    done += jobs.length
    if (jobs.length < WAKES_PER_STEP) return { done, hasMore: false }
  }
  return { done, hasMore: true }
}

const selectSilent = (now: number) =>
  select(
    { team: job.team, no: job.no, revision: job.revision, queue: job.queue },
    sql`FROM ${job} INDEXED BY background_job_wake
      WHERE ${job.completedAt} = 0 AND ${job.wakeAt} <= ${now} ORDER BY ${job.wakeAt} LIMIT ${WAKES_PER_STEP}`,
  )

const markWoken = (numbers: number[], now: number, resendAfterMs: number): Statement =>
  statement(sql`UPDATE ${job} SET ${assignments(job, { wakeAt: now + resendAfterMs })}
    WHERE ${job.completedAt} = 0 AND ${job.wakeAt} <= ${now}
      AND ${job.no} IN (SELECT value FROM json_each(${JSON.stringify(numbers)}))`)

/**
 * Paused jobs that can go on are due at once. `isBlocked` comes from the feature that pauses jobs: whether what `pausedBy` names
 * still does not work.
 */
export async function resumeJobs(db: Db, isBlocked: (pausedBy: SQL) => SQL, now: number): Promise<Chore> {
  let done = 0
  for (let step = 1; step <= STEPS_MAX; step++) {
    const [{ changes }] = await write(
      { db: db.reconnect(), idempotency: null },
      {
        effect: [
          statement(sql`UPDATE ${job} SET ${assignments(job, { wakeAt: now, pausedBy: null })} WHERE ${job.no} IN
            (SELECT ${fields({ no: job.no })} FROM ${job} INDEXED BY background_job_paused
              WHERE ${job.pausedBy} IS NOT NULL AND NOT ${isBlocked(job.pausedBy.getSQL())} LIMIT ${WAKES_PER_STEP})`),
        ],
        outcome: null,
      },
    )
    done += changes
    if (changes < WAKES_PER_STEP) return { done, hasMore: false }
  }
  return { done, hasMore: true }
}
