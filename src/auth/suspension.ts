import { type SQL, sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import type { Statement } from '../db/statement.ts'
import { AppError } from '../errors.ts'
import { team } from './table.ts'

/**
 * Whether a team is suspended. Whatever begins something for a team by itself (a job, a delivery, a scan for due actions) asks
 * for it, and begins nothing.
 */
export const isSuspendedTeam = (no: SQL | number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${team} WHERE ${team.no} = ${no} AND ${team.suspendedAt} IS NOT NULL)`

export const TEAM_SUSPENDED = 'the team is suspended'

/** Fails the transaction of a suspended team, with all that it would have used up. */
export const guardNotSuspended = (no: number): Statement => guard(TEAM_SUSPENDED, sql`NOT ${isSuspendedTeam(no)}`)

/** Is answered only to those who have proven that they belong to the team. */
export const teamSuspended = (cause?: unknown): AppError =>
  new AppError(
    'team_suspended',
    [
      {
        message: 'this team is suspended',
        hint: 'the operator of the installation has suspended it, and can resume it: nothing is lost, and all goes on then',
      },
    ],
    cause,
  )
