import { type SQL, sql } from 'drizzle-orm'
import { guard, guarded, isGuardFailure } from '../db/guard.ts'
import { prepared, type Statement } from '../db/statement.ts'
import { AppError } from '../errors.ts'
import type { Procedure } from './model.ts'
import { procedure } from './table.ts'

/** The definition at hand is not the one in force any more. Whoever holds it loads it again and starts over. */
const STALE_PROCEDURE = 'stale procedure'

/** A definition, or the placeholders of one in a prepared statement. */
interface DefinitionAtHand {
  no: number | SQL
  version: number | SQL
}

const isInForce = ({ no, version }: DefinitionAtHand): SQL =>
  sql`(SELECT ${procedure.version} FROM ${procedure} WHERE ${procedure.no} = ${no}) = ${version}`

const guardVersion = prepared<{ no: number; version: number }, { held: string }>(['no', 'version'], values =>
  guard(STALE_PROCEDURE, isInForce(values)),
)

/** Goes into every transaction that relies on a definition: fails it when the definition has changed since it was loaded. */
export const guardDefinition = ({ no, version }: Pick<Procedure, 'no' | 'version'>): Statement =>
  guardVersion({ no, version })

/**
 * The same as a condition of the one statement that changes something: a statement less in each transaction. It is asked
 * only about a row that the statement would change; who finds none asks `guardDefinition` before saying why.
 */
export const ifDefinitionHolds = (definition: DefinitionAtHand): SQL =>
  sql`${guarded(STALE_PROCEDURE, isInForce(definition), sql`'{}'`)} IS NOT NULL`

/**
 * The same for one statement that reads: what follows LIMIT, which SQLite computes before it reads anything. A statement
 * of its own would cost a list 30 µs.
 */
export const guardedLimit = (definition: DefinitionAtHand, limit: SQL): SQL =>
  guarded(STALE_PROCEDURE, isInForce(definition), limit)

export const isStale = (error: unknown): boolean => isGuardFailure(error, STALE_PROCEDURE)

/** After too many attempts, each of which another change overtook. */
export const definitionContended = (shortId: string, cause: unknown): AppError =>
  new AppError('conflict', `the procedure ${shortId} is being changed by other requests; try again`, cause)
