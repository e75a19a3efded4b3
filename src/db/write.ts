import { type SQL, sql } from 'drizzle-orm'
import type { Changes, Db } from './client.ts'
import type { Statement } from './statement.ts'

/** What a request came to: known beforehand, or one JSON text that is read back after the change. */
export type WriteOutcome = { json: string } | { select: SQL<string> }

/** Keeps the outcome of a request under the key that it came with. Made by `http/idempotency`. */
export interface IdempotencyRecord {
  /** To follow the change. Without an outcome, and where the key was used before, they fail the whole transaction. */
  statements: (outcome: SQL, onlyIfChanged: boolean) => readonly Statement[]
}

/** Where something is written, and what is to be kept of it. `Scope` is one. */
export interface Writer {
  db: Db
  idempotency: IdempotencyRecord | null
}

export interface Write<Effect extends readonly Statement[]> {
  /** Each fails the whole transaction unless what was decided on still holds. */
  guards?: readonly Statement[]
  effect: Effect
  /** What a request with an idempotency key is answered with when it comes again. Null: no request waits for it. */
  outcome: WriteOutcome | null
  /** The last statement may change nothing; then there is no outcome to keep, and the caller finds out why. */
  mayChangeNothing?: boolean
}

/**
 * The only way in which a route or a consumer changes something: guards, effect and idempotency record are one
 * transaction. Resolves to what each statement of the effect came to. Not part of it: a file in R2 (`uploadMedia`), the
 * chunks of a large request (`acceptJob`), the call of the provider (`send`). ARCHITECTURE.md says why each is safe.
 */
export async function write<const Effect extends readonly Statement[]>(
  { db, idempotency }: Writer,
  { guards = [], effect, outcome, mayChangeNothing = false }: Write<Effect>,
): Promise<Changes<Effect>> {
  const source = outcome && ('json' in outcome ? sql`${outcome.json}` : sql`(${outcome.select})`)
  const record = source && idempotency ? idempotency.statements(source, mayChangeNothing) : []
  const results = await db.transact([...guards, ...effect, ...record])
  return results.slice(guards.length, guards.length + effect.length) as Changes<Effect>
}
