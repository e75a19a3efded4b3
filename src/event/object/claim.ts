import { sql } from 'drizzle-orm'
import { guard, isGuardFailure } from '../../db/guard.ts'
import { saveState } from '../../db/maintenance-state.ts'
import { type Statement, statement } from '../../db/statement.ts'
import { maintenanceState } from '../../db/table.ts'

// Rows of a log are read, written to an object, and then removed, in transactions of their own. Whoever changes rows in
// between takes the claim away, and nothing of what was read is removed.

const TASK = 'read log'
const LOST = 'the claim to rows of the log is lost'

/** Claims the log of a team before its rows are read. One run at a time has the claim. */
export const claimRows = (teamNo: number, claim: string): Statement => saveState(TASK, claim, teamNo)

/**
 * Goes with each statement that changes stored rows of the log. The transaction that begins an erasure needs none: a move
 * compares the team's `lastErasureAt`.
 */
export const revokeClaim = (teamNo: number): Statement =>
  statement(
    sql`DELETE FROM ${maintenanceState} WHERE ${maintenanceState.name} = ${TASK} AND ${maintenanceState.team} = ${teamNo}`,
  )

/** Fails the transaction that removes the rows if the claim was revoked. */
export const guardClaim = (claim: string): Statement =>
  guard(
    LOST,
    sql`EXISTS (SELECT 1 FROM ${maintenanceState}
      WHERE ${maintenanceState.name} = ${TASK} AND ${maintenanceState.value} = ${claim})`,
  )

export const isClaimLost = (error: unknown): boolean => isGuardFailure(error, LOST)
