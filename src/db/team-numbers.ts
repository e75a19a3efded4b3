import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { guard, isGuardFailure } from './guard.ts'
import type { Statement } from './statement.ts'

/** The numbers of a team in a table. Each team has a range of its own, so that a row keeps its number in any database. */
const NUMBERS_PER_TEAM = 4096
export const ROWS_PER_TEAM_MAX = NUMBERS_PER_TEAM - 1

type NumberedTable = SQLiteTable & { no: SQLiteColumn }

export const selectFirstNumber = (team: number): SQL =>
  sql`CAST(${team} AS INTEGER) * ${sql.raw(String(NUMBERS_PER_TEAM))}`
export const selectLastNumber = (team: number): SQL =>
  sql`(${selectFirstNumber(team)} + ${sql.raw(String(ROWS_PER_TEAM_MAX))})`

/** Selects the number of a new row of a team. To be used with `guardNumberLeft`. */
export const selectNextNumber = (table: NumberedTable, team: number): SQL =>
  sql`(SELECT coalesce(max(${table.no}), ${selectFirstNumber(team)}) + 1 FROM ${table}
    WHERE ${table.no} BETWEEN ${selectFirstNumber(team)} AND ${selectLastNumber(team)})`

/** Returns the number of the team to whose range a number belongs. */
export const toTeamNo = (no: number): number => Math.floor(no / NUMBERS_PER_TEAM)

/** Matches a column with one of the numbers of a team. */
export const whereTeamNumber = (column: SQLiteColumn | SQL, team: number): SQL =>
  sql`${column} BETWEEN ${selectFirstNumber(team)} AND ${selectLastNumber(team)}`

const NO_NUMBER_LEFT = 'the numbers of the team are used up'

export const guardNumberLeft = (table: NumberedTable, team: number): Statement =>
  guard(NO_NUMBER_LEFT, sql`NOT EXISTS (SELECT 1 FROM ${table} WHERE ${table.no} = ${selectLastNumber(team)})`)

export const isOutOfNumbers = (error: unknown): boolean => isGuardFailure(error, NO_NUMBER_LEFT)
