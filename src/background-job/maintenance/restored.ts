import { sql } from 'drizzle-orm'
import { type Statement, select } from '../../db/statement.ts'
import { backgroundJob as job } from '../table.ts'

/** The name under which the time of the last restore of the database is stored. */
export const RESTORE = 'restore'
/** The name under which the time of the last restore of a team is stored. */
export const nameTeamRestore = (team: number): string => `${RESTORE} ${team}`

/** The jobs that send, and may have begun, of one team or of all: what they sent in the time that is lost is not known any more. */
export const sendingJobs = (now: number, team?: number) =>
  sql`FROM ${job} INDEXED BY background_job_wake WHERE ${job.completedAt} = 0 AND ${job.interruptedAt} IS NULL
    AND ${job.queue} = 'sends' AND coalesce(${job.startAt}, 0) <= ${now}${team === undefined ? sql`` : sql` AND ${job.team} = ${team}`}`

export const countSendingJobs = (now: number): Statement<{ count: number }> =>
  select({ count: sql<number>`count(*)` }, sendingJobs(now))
