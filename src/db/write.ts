import { type SQL, sql } from 'drizzle-orm'
import type { Changes, Db } from './client.ts'
import type { Statement } from './statement.ts'

/** The outcome of a request: known before the write, or, if there is a key, one JSON text that is read after the change. */
type WriteOutcome = { json: string } | { select: () => SQL<string> }

/** Stores the outcome of a request under its idempotency key. `http/idempotency` makes it. */
export interface IdempotencyRecord {
  /** Returns a guard that fails a transaction before the one that has the record, if the key is in use. */
  guard: () => Statement
  /** Returns statements that follow the change. If there is no outcome, or the key was used before, they fail the whole transaction. */
  statements: (outcome: SQL, onlyIfChanged: boolean) => Promise<readonly Statement[]>
}

/** The database to write to, and the idempotency record of the request. `Scope` is one. */
export interface Writer {
  db: Db
  idempotency: IdempotencyRecord | null
}

export interface Write<Effect extends readonly Statement[]> {
  /** Guards. Each fails the whole transaction unless a condition on which the decision relied still holds. */
  guards?: readonly Statement[]
  effect: Effect
  /** The rows of other tables that follow from those of the effect: statements before it, and after the record. */
  derived?: { before: readonly Statement[]; after: readonly Statement[] } | undefined
  /** The response to a repeated request with the same idempotency key. Null if no request waits for it. */
  outcome: WriteOutcome | null
  /** Whether the last statement may change nothing. Then no outcome is stored, and the caller reads why. */
  mayChangeNothing?: boolean
}

/**
 * The only way in which a route or a consumer changes something: guards, effect and idempotency record are one
 * transaction. Returns the result of each statement of the effect. ARCHITECTURE.md says what is outside of it on purpose.
 */
export async function write<const Effect extends readonly Statement[]>(
  { db, idempotency }: Writer,
  { guards = [], effect, derived = NOTHING_DERIVED, outcome, mayChangeNothing = false }: Write<Effect>,
): Promise<Changes<Effect>> {
  const record = outcome && idempotency ? await idempotency.statements(toOutcomeSource(outcome), mayChangeNothing) : []
  const results = await db.transact([...guards, ...derived.before, ...effect, ...record, ...derived.after])
  const first = guards.length + derived.before.length
  return results.slice(first, first + effect.length) as Changes<Effect>
}

const NOTHING_DERIVED = { before: [], after: [] }

const toOutcomeSource = (outcome: WriteOutcome): SQL =>
  'json' in outcome ? sql`${outcome.json}` : sql`(${outcome.select()})`
