import { type SQL, sql } from 'drizzle-orm'
import { backgroundJob as job } from '../background-job/table.ts'
import { assignments, type Statement, select, statement } from '../db/statement.ts'
import { AppError } from '../errors.ts'
import { firstRidAt } from '../ids.ts'
import { DAY_MS, SECOND_MS, toDay } from '../time-units.ts'
import { usageDay } from '../usage/table.ts'
import { team } from './table.ts'

// What a team may write on a day in UTC, where the operator has limited it: the rows that its requests write and the entries
// of its jobs, as its usage tells them. It is read with the token, so that a request asks for nothing more.

/** At most so many jobs of a day are counted, the newest ones, as the usage does. */
const JOBS_MAX = 20_000

/** A day since 1970, and the row number before all jobs of that day. */
interface CountedDay<Value> {
  day: Value
  firstJob: Value
}

export function getCountedDay(now: number): CountedDay<number> {
  const day = toDay(now)
  return { day, firstJob: firstRidAt(day * DAY_MS) }
}

/** What the team of a row has written on a day; null where it may write any number. */
export const selectRowsOfDay = ({ day, firstJob }: CountedDay<SQL | number>): SQL<number | null> =>
  sql<number | null>`iif(${team.rowsPerDay} IS NULL, NULL,
    ifnull((SELECT ${usageDay.rowsWritten} FROM ${usageDay} WHERE ${usageDay.team} = ${team.no} AND ${usageDay.day} = ${day}), 0)
    + ifnull((SELECT sum(counted.total) FROM (
      SELECT ${job.total} AS total FROM ${job} INDEXED BY background_job_team
      WHERE ${job.team} = ${team.no} AND ${job.no} >= ${firstJob} ORDER BY ${job.no} DESC LIMIT ${sql.raw(String(JOBS_MAX))}) counted), 0))`

/** As it was read with a token. */
interface ReadAllowance {
  rowsPerDay: number | null
  rowsOfDay: number | null
  day: number
}

/** The refusal of a request that adds something; undefined: the team may write. What was read yesterday says nothing of today. */
export function refuseBeyondAllowance(
  { rowsPerDay, rowsOfDay, day }: ReadAllowance,
  now: number,
): AppError | undefined {
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

/** Null takes the limit away. */
export const limitTeam = (no: number, rowsPerDay: number | null): Statement =>
  statement(sql`UPDATE ${team} SET ${assignments(team, { rowsPerDay })} WHERE ${team.no} = ${no}`)

/** What a team has written so far today, whether it is limited or not. */
export const selectRowsToday = (no: number, now: number): Statement<{ rows: number | null }> =>
  select({ rows: selectRowsOfDay(getCountedDay(now)) }, sql`FROM ${team} WHERE ${team.no} = ${no}`)

/** A team that has written a share of what it may write today. */
export interface UsedAllowance {
  team: string
  rowsPerDay: number
  rows: number
}

/** The limited teams that have written such a share of it, those with the largest share first. */
export const selectUsedAllowances = (now: number, share: number, max: number): Statement<UsedAllowance> =>
  select(
    { team: sql<string>`used.team`, rowsPerDay: sql<number>`used.rows_per_day`, rows: sql<number>`used.count` },
    sql`FROM (SELECT ${team.shortId} AS team, ${team.rowsPerDay} AS rows_per_day, ${selectRowsOfDay(getCountedDay(now))} AS count
        FROM ${team} WHERE ${team.rowsPerDay} IS NOT NULL) used
      WHERE used.count >= used.rows_per_day * ${share} ORDER BY 1.0 * used.count / used.rows_per_day DESC LIMIT ${max}`,
  )
