import { sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { assignments, statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { insertCancelledEvents } from '../completion-event.ts'
import { cancelledCounts } from '../job-rows.ts'
import { backgroundJob as job } from '../table.ts'

/**
 * After a restore: cancels the jobs of all teams that send, and may have begun. What they sent in the time that is lost
 * is not known any more, so nothing of theirs is sent again. Resolves to how many there were.
 */
export async function interruptSendingJobs(db: Db, now: number): Promise<number> {
  const which = sql`${job.completedAt} = 0 AND ${job.interruptedAt} IS NULL AND ${job.queue} = 'sends'
    AND coalesce(${job.startAt}, 0) <= ${now}`
  const change = sql`UPDATE ${job} SET ${assignments(job, {
    completionStatus: 'CANCELLED',
    ...cancelledCounts(now),
    interruptedAt: now,
  })} WHERE ${which}`
  const effect = [insertCancelledEvents(which, now), statement(change)] as const
  const [, { changes }] = await write({ db, idempotency: null }, { effect, outcome: null })
  return changes
}
