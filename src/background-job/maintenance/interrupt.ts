import { sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { saveState } from '../../db/maintenance-state.ts'
import { assignments, type Statement, select, statement } from '../../db/statement.ts'
import { maintenanceState } from '../../db/table.ts'
import { write } from '../../db/write.ts'
import { cancelledCounts } from '../cancelled-counts.ts'
import { insertCancelledEvents } from '../events.ts'
import { backgroundJob as job } from '../table.ts'
import { nameTeamRestore, RESTORE, sendingJobs } from './restored.ts'

/** What one transaction cancels. */
const JOBS_PER_STEP = 200
/** What is left is for the next minute. */
const STEPS_MAX = 100

/**
 * After a restore, of the database or of one team: cancels the jobs that send, and may have begun. What they sent in the time
 * that is lost is not known any more, so nothing of theirs is sent again. Resolves to how many there were.
 */
export async function interruptSendingJobs(db: Db, now: number, team?: number): Promise<number> {
  let interrupted = 0
  for (let step = 0; step < STEPS_MAX; step++) {
    const [, , cancelled] = await write({ db, idempotency: null }, { effect: interruptStep(now, team), outcome: null })
    interrupted += cancelled.changes
    if (cancelled.changes < JOBS_PER_STEP) break
  }
  return interrupted
}

function interruptStep(now: number, team?: number) {
  const which = sql`${job.no} IN (SELECT ${job.no} ${sendingJobs(now, team)} ORDER BY ${job.wakeAt}, ${job.no} LIMIT ${JOBS_PER_STEP})`
  const change = sql`UPDATE ${job} SET ${assignments(job, {
    completionStatus: 'CANCELLED',
    ...cancelledCounts(now),
    interruptedAt: now,
  })} WHERE ${which}`
  const restored =
    team === undefined ? saveState(RESTORE, String(now)) : saveState(nameTeamRestore(team), String(now), team)
  return [restored, insertCancelledEvents(which, now), statement(change)] as const
}

/** When the database, or the team, was restored last: it does not know which failed entries were retried before that. */
export const selectRestoredAt = (team = 0): Statement<{ at: number }> =>
  select(
    { at: sql<number>`coalesce(max(CAST(${maintenanceState.value} AS INTEGER)), 0)` },
    sql`FROM ${maintenanceState} WHERE ${maintenanceState.name} IN (${RESTORE}, ${nameTeamRestore(team)})`,
  )

export async function readRestoredAt(db: Db, team = 0): Promise<number> {
  const [[row]] = await db.read(selectRestoredAt(team))
  return row?.at ?? 0
}
