import { type SQL, sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import type { Statement } from '../db/statement.ts'
import { AppError } from '../errors.ts'
import { team } from '../team/table.ts'

/**
 * Matches if a team is suspended. Work that begins by itself (a job, a delivery, a scan for due actions) has this
 * condition, and does not begin then.
 */
export const whereTeamSuspended = (no: SQL | number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${team} WHERE ${team.no} = ${no} AND ${team.suspendedAt} IS NOT NULL)`

export const TEAM_SUSPENDED = 'the team is suspended'

/** Fails the transaction of a suspended team, with all that it would have used up. */
export const guardNotSuspended = (no: number): Statement => guard(TEAM_SUSPENDED, sql`NOT ${whereTeamSuspended(no)}`)

/** The error of calls of a suspended team. Only callers who have proved that they belong to it get it. */
export const teamSuspendedError = (cause?: unknown): AppError =>
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
