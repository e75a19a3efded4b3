import { type SQL, sql } from 'drizzle-orm'
import { team } from '../team/table.ts'

/** The condition that a team is not being erased, for a statement that joins `team`. */
export const IS_NOT_BEING_ERASED: SQL = sql`${team.erasingAt} IS NULL`

/**
 * Matches if a team exists and is not being erased. A statement that inserts rows of a team which no key or session has
 * just proved (reports of providers and receivers, figures that isolates have collected) has this condition itself.
 */
export const whereTeamPresent = (no: SQL | number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${team} WHERE ${team.no} = ${no} AND ${IS_NOT_BEING_ERASED})`
