import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

const NUMBERS_PER_TEAM = 4096

/** The small numbers of a team's procedures and plugins: ranges don't meet, so a number is the same in every database. */
export const numbersOfTeam = (team: number) => ({
  first: team * NUMBERS_PER_TEAM,
  last: team * NUMBERS_PER_TEAM + NUMBERS_PER_TEAM - 1,
})

/** The next number of a team, as a subquery of the INSERT that uses it. It may lie beyond the last one. */
export function numberInTeam(column: SQLiteColumn, team: number): SQL<number> {
  const { first, last } = numbersOfTeam(team)
  return sql`(SELECT coalesce(max(${column}), ${first}) + 1 FROM ${column.table} WHERE ${column} BETWEEN ${first} AND ${last})`
}
