import { sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { assignments, replaceInto, select, statement } from '../../db/statement.ts'
import { chorePosition } from '../../db/table.ts'
import { write } from '../../db/write.ts'
import { insertCancelledEvents } from '../completion-event.ts'
import { cancelledCounts } from '../job-rows.ts'
import { backgroundJob as job } from '../table.ts'

/** What one transaction cancels. */
const JOBS_PER_STEP = 200
/** What is left is for the next minute. */
const STEPS_MAX = 100
/** Under this name the time of the last restore is kept. */
const RESTORE = 'restore'

/**
 * After a restore: cancels the jobs of all teams that send, and may have begun. What they sent in the time that is lost
 * is not known any more, so nothing of theirs is sent again. Resolves to how many there were.
 */
export async function interruptSendingJobs(db: Db, now: number): Promise<number> {
  let interrupted = 0
  for (let step = 0; step < STEPS_MAX; step++) {
    const [, , { changes }] = await write({ db, idempotency: null }, { effect: interruptStep(now), outcome: null })
    interrupted += changes
    if (changes < JOBS_PER_STEP) break
  }
  return interrupted
}

function interruptStep(now: number) {
  const which = sql`${job.no} IN (SELECT ${job.no} FROM ${job} INDEXED BY background_job_wake
    WHERE ${job.completedAt} = 0 AND ${job.interruptedAt} IS NULL AND ${job.queue} = 'sends'
      AND coalesce(${job.startAt}, 0) <= ${now} ORDER BY ${job.wakeAt}, ${job.no} LIMIT ${JOBS_PER_STEP})`
  const change = sql`UPDATE ${job} SET ${assignments(job, {
    completionStatus: 'CANCELLED',
    ...cancelledCounts(now),
    interruptedAt: now,
  })} WHERE ${which}`
  const restored = replaceInto(chorePosition, { chore: RESTORE, team: 0, position: String(now), restUntil: 0 })
  return [statement(restored), insertCancelledEvents(which, now), statement(change)] as const
}

/** When the database was restored last: it does not know which failed entries were retried before that. */
export async function readRestoredAt(db: Db): Promise<number> {
  const [[row]] = await db.read(
    select({ at: chorePosition.position }, sql`FROM ${chorePosition} WHERE ${chorePosition.chore} = ${RESTORE}`),
  )
  return Number(row?.at ?? 0)
}
