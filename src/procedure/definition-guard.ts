import { type SQL, sql } from 'drizzle-orm'
import { guard, guardValue, isGuardFailure } from '../db/guard.ts'
import { prepared, type Statement } from '../db/statement.ts'
import { AppError } from '../errors.ts'
import type { Procedure } from './model.ts'
import { procedure } from './table.ts'

/** The label of guards that fail when a definition is no longer in force. Whoever relied on it loads it again and starts over. */
const STALE_PROCEDURE = 'stale procedure'

/** A definition, or its placeholders in a prepared statement. */
interface DefinitionAtHand {
  no: number | SQL
  version: number | SQL
}

const whereInForce = ({ no, version }: DefinitionAtHand): SQL =>
  sql`(SELECT ${procedure.version} FROM ${procedure} WHERE ${procedure.no} = ${no}) = ${version}`

const guardVersion = prepared<{ no: number; version: number }, { held: string }>(['no', 'version'], values =>
  guard(STALE_PROCEDURE, whereInForce(values)),
)

/** Fails a transaction when the definition on which it relies has changed since it was loaded. */
export const guardDefinition = ({ no, version }: Pick<Procedure, 'no' | 'version'>): Statement =>
  guardVersion({ no, version })

/**
 * The same guard as a condition of the one statement that changes something, which saves a statement in each transaction. It
 * is evaluated only for a row that the statement would change; if there is none, the caller runs `guardDefinition`.
 */
export const ifDefinitionHolds = (definition: DefinitionAtHand): SQL =>
  sql`${guardValue(STALE_PROCEDURE, whereInForce(definition), sql`'{}'`)} IS NOT NULL`

/**
 * The same guard for one statement that reads, as its LIMIT, which SQLite computes before it reads anything. A statement of
 * its own would cost a list 30 µs.
 */
export const guardLimit = (definition: DefinitionAtHand, limit: SQL): SQL =>
  guardValue(STALE_PROCEDURE, whereInForce(definition), limit)

export const isStale = (error: unknown): boolean => isGuardFailure(error, STALE_PROCEDURE)

/** The error after too many attempts, each of which another change overtook. */
export const definitionContendedError = (shortId: string, cause: unknown): AppError =>
  new AppError('conflict', `the procedure ${shortId} is being changed by other requests; try again`, cause)
