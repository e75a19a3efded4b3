import { type SQL, sql } from 'drizzle-orm'
import { team } from './table.ts'

/** A statement that joins `team` asks with this whether it is not being erased. */
export const IS_NOT_BEING_ERASED: SQL = sql`${team.erasingAt} IS NULL`

/**
 * Whether a team is there and is not being erased. Whatever inserts rows of a team that no key or session has just proven
 * (what providers and receivers say, what isolates have collected) asks for it, in the statement itself.
 */
export const isPresentTeam = (no: SQL | number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${team} WHERE ${team.no} = ${no} AND ${IS_NOT_BEING_ERASED})`
