import { sql } from 'drizzle-orm'
import { guard, isGuardFailure } from '../../db/guard.ts'
import { saveState } from '../../db/maintenance-state.ts'
import { type Statement, statement } from '../../db/statement.ts'
import { maintenanceState } from '../../db/table.ts'

// Rows of a log are read, written to an object, and then removed, in transactions of their own. Whoever changes rows in
// between takes the lock away, and nothing of what was read is removed.

const TASK = 'read log'
const LOST = 'the lock of rows of the log is lost'

/** Locks the log of a team for a move, before its rows are read. One run at a time has the lock. */
export const lockRows = (teamNo: number, lock: string): Statement => saveState(TASK, lock, teamNo)

/**
 * Goes with each statement that changes stored rows of the log. The transaction that begins an erasure needs none: a move
 * compares the team's `lastErasureAt`.
 */
export const revokeMoveLock = (teamNo: number): Statement =>
  statement(
    sql`DELETE FROM ${maintenanceState} WHERE ${maintenanceState.name} = ${TASK} AND ${maintenanceState.team} = ${teamNo}`,
  )

/** Fails the transaction that removes the rows if the lock was revoked. */
export const guardMoveLock = (lock: string): Statement =>
  guard(
    LOST,
    sql`EXISTS (SELECT 1 FROM ${maintenanceState}
      WHERE ${maintenanceState.name} = ${TASK} AND ${maintenanceState.value} = ${lock})`,
  )

export const isMoveLockLost = (error: unknown): boolean => isGuardFailure(error, LOST)
