import { type SQL, sql } from 'drizzle-orm'
import { backgroundJob as job } from '../background-job/table.ts'
import { assignments, type Statement, select, statement } from '../db/statement.ts'
import { AppError } from '../errors.ts'
import { getFirstRid } from '../ids.ts'
import { team } from '../team/table.ts'
import { DAY_MS, SECOND_MS, toDay } from '../time-units.ts'
import { usageDay } from '../usage/table.ts'

// The daily allowance of a team (in UTC), if the operator has limited it: the rows that its requests write and the entries of
// its jobs, as its usage counts them. It is read together with the token, so it costs a request no round trip.

/** The jobs of a day that are counted, the newest ones first. The usage counts as many. */
const JOBS_MAX = 20_000

/** A day since 1970, and the row number before all jobs of that day. */
interface CountedDay<Value> {
  day: Value
  firstJob: Value
}

export function getCountedDay(now: number): CountedDay<number> {
  const day = toDay(now)
  return { day, firstJob: getFirstRid(day * DAY_MS) }
}

/** Selects the rows that a team has written on a day; null if it may write any number. */
export const selectRowsOfDay = ({ day, firstJob }: CountedDay<SQL | number>): SQL<number | null> =>
  sql<number | null>`iif(${team.rowsPerDay} IS NULL, NULL,
    ifnull((SELECT ${usageDay.rowsWritten} FROM ${usageDay} WHERE ${usageDay.team} = ${team.no} AND ${usageDay.day} = ${day}), 0)
    + ifnull((SELECT sum(counted.total) FROM (
      SELECT ${job.total} AS total FROM ${job} INDEXED BY background_job_team
      WHERE ${job.team} = ${team.no} AND ${job.no} >= ${firstJob} ORDER BY ${job.no} DESC LIMIT ${sql.raw(String(JOBS_MAX))}) counted), 0))`

/** An allowance as it was read with a token. */
interface ReadAllowance {
  rowsPerDay: number | null
  rowsOfDay: number | null
  day: number
}

/** Returns the refusal of a request that adds something; undefined if the team may write. Figures of another day don't count. */
export function findAllowanceError({ rowsPerDay, rowsOfDay, day }: ReadAllowance, now: number): AppError | undefined {
  if (rowsPerDay === null || (rowsOfDay ?? 0) < rowsPerDay || day !== toDay(now)) return undefined
  const retryAfterSeconds = Math.ceil(((day + 1) * DAY_MS - now) / SECOND_MS)
  return new AppError('rate_limited', [
    {
      message: `the team may write ${rowsPerDay} rows a day, and has written ${rowsOfDay} today`,
      hint: 'reading and deleting go on; the day ends at midnight UTC, and the operator of the installation can change the limit',
      detail: { retryAfterSeconds },
    },
  ])
}

/** Limits what a team writes on a day. Null removes the limit. */
export const limitTeam = (no: number, rowsPerDay: number | null): Statement =>
  statement(sql`UPDATE ${team} SET ${assignments(team, { rowsPerDay })} WHERE ${team.no} = ${no}`)

/** Selects the rows that a team has written so far today, whether it is limited or not. */
export const selectRowsToday = (no: number, now: number): Statement<{ rows: number | null }> =>
  select({ rows: selectRowsOfDay(getCountedDay(now)) }, sql`FROM ${team} WHERE ${team.no} = ${no}`)

/** The allowance of a team, and the rows that it has written today. */
export interface UsedAllowance {
  team: string
  rowsPerDay: number
  rows: number
}

/** Selects the limited teams that have written at least a share of their allowance, those with the largest share first. */
export const selectUsedAllowances = (now: number, share: number, max: number): Statement<UsedAllowance> =>
  select(
    { team: sql<string>`used.team`, rowsPerDay: sql<number>`used.rows_per_day`, rows: sql<number>`used.count` },
    sql`FROM (SELECT ${team.shortId} AS team, ${team.rowsPerDay} AS rows_per_day, ${selectRowsOfDay(getCountedDay(now))} AS count
        FROM ${team} WHERE ${team.rowsPerDay} IS NOT NULL) used
      WHERE used.count >= used.rows_per_day * ${share} ORDER BY 1.0 * used.count / used.rows_per_day DESC LIMIT ${max}`,
  )
