import { type SQL, sql } from 'drizzle-orm'
import { assertion, guard, isGuardFailure } from '../db/guard.ts'
import { prepared, type Statement } from '../db/statement.ts'
import { AppError } from '../errors.ts'
import type { Procedure } from './model.ts'
import { procedure } from './table.ts'

/** The definition at hand is not the one in force any more. Whoever holds it loads it again and starts over. */
export class StaleProcedure extends Error {
  override readonly name = 'StaleProcedure'
}

const STALE_PROCEDURE = 'stale procedure'

const hasVersion = ({ no, version }: { no: SQL; version: SQL }): SQL =>
  sql`(SELECT ${procedure.version} FROM ${procedure} WHERE ${procedure.no} = ${no}) = ${version}`

const guardVersion = prepared<{ no: number; version: number }, { held: string }>(['no', 'version'], values =>
  guard(STALE_PROCEDURE, hasVersion(values)),
)

/** Goes into every transaction that relies on a definition: fails it when the definition has changed since it was loaded. */
export const guardDefinition = ({ no, version }: Pick<Procedure, 'no' | 'version'>): Statement =>
  guardVersion({ no, version })

/**
 * The same as a condition of the one statement that relies on the definition: a statement less in each transaction. It is
 * asked only about a row that the statement would change; who finds none asks `guardDefinition` before saying why.
 */
export const ifDefinitionHolds = (procedure: { no: SQL; version: SQL }): SQL =>
  sql`${assertion(STALE_PROCEDURE, hasVersion(procedure))} IS NOT NULL`

export const isStale = (error: unknown): boolean =>
  error instanceof StaleProcedure || isGuardFailure(error, STALE_PROCEDURE)

/** After too many attempts, each of which another change overtook. */
export const definitionContended = (shortId: string, cause: unknown): AppError =>
  new AppError('conflict', `the procedure ${shortId} is being changed by other requests; try again`, cause)
