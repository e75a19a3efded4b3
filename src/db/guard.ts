import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from './statement.ts'

/**
 * Returns an expression for a number or a JSON text that fails the whole transaction unless a condition holds. SQLite has no
 * assertion outside a trigger, but it refuses a JSON path that does not start with `$`, and names the path in its error. The
 * label is that path.
 */
export const guardValue = (label: string, condition: SQL, value: SQL): SQL =>
  sql`json_extract(${value}, iif(${condition}, '$', ${sql.raw(`'${label}'`)}))`

/** Returns a statement that fails its whole transaction unless a condition holds. */
export const guard = (label: string, condition: SQL): Statement<{ held: string }> =>
  statement(sql`SELECT ${guardValue(label, condition, sql`'{}'`)} AS held`)

export const isGuardFailure = (error: unknown, label: string): boolean =>
  error instanceof Error && error.message.includes(`'${label}'`) && error.message.includes('JSON path')

/** Tells whether a unique index with this column refused. SQLite names the columns: "UNIQUE constraint failed: user.team, user.username". */
export const isUniqueViolation = (error: unknown, column: string): boolean =>
  error instanceof Error &&
  (/UNIQUE constraint failed: ([\w., ]+)/.exec(error.message)?.[1]?.split(', ').includes(column) ?? false)

/** Fails the transaction unless the statement before it changed this number of rows. */
export const guardChanges = (label: string, count: number): Statement<{ held: string }> =>
  guard(label, sql`changes() = ${sql.raw(String(count))}`)

/** The condition that the INSERT, UPDATE or DELETE before this statement in the transaction changed something. */
export const IF_CHANGED: SQL = sql`changes() > 0`
