import type { SQL } from 'drizzle-orm'
import { createCache, estimateParsedBytes } from '../cache.ts'
import { AppError, invalid } from '../errors.ts'
import { UUID } from '../ids.ts'
import type { Scope, Team } from '../scope.ts'
import { createHint } from '../suggest.ts'
import { definitionContendedError, guardDefinition, isStale } from './definition-guard.ts'
import type { Procedure } from './model.ts'
import { findProcedure, listShortIds, type SelectedProcedure, selectProcedure, toProcedureRow } from './store.ts'

/** The bytes of the cache. A definition may have a megabyte. */
const CACHED_DEFINITIONS_BYTES_MAX = 16_000_000
const REFERENCES_BYTES_MAX = 1_000_000
const ATTEMPTS_MAX = 5

/** The definitions that this isolate has read. One may be out of date, so a transaction that relies on it compares it (`definition-guard.ts`). */
const cachedProcedures = createCache<Procedure>(CACHED_DEFINITIONS_BYTES_MAX, estimateParsedBytes)
/** The ids of procedures by the short ids in addresses. The definition itself is cached once, by id. */
const cachedIds = createCache<string>(REFERENCES_BYTES_MAX, id => id.length)

const toKey = ({ id }: Pick<Team, 'id'>, reference: string) => `${id}/${reference}`

/** Returns the error of an unknown procedure. It reads all names for a suggestion. */
export async function loadUnknownProcedureError(scope: Scope, reference: string): Promise<AppError> {
  const hint = UUID.test(reference) ? {} : createHint(reference, await listShortIds(scope))
  return new AppError('not_found', [{ message: `procedure ${reference} not found`, ...hint }])
}

/** Throws the error of a procedure that does not exist as a fault of the part of the request that names it. */
export const throwUnknownAt =
  (path: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
    throw invalid(error.faults.map(fault => ({ ...fault, path })))
  }

/** Refuses a filter by a procedure that the team does not have. */
export async function requireProcedure(scope: Scope, reference: string, path: string): Promise<void> {
  await getProcedure(scope, reference).catch(throwUnknownAt(path))
}

async function getProcedure(scope: Scope, reference: string): Promise<Procedure> {
  const cached = findCached(scope.team, reference)
  if (cached) return cached
  const found = await findProcedure(scope, reference)
  if (!found) throw await loadUnknownProcedureError(scope, reference)
  keepProcedure(scope.team, reference, found)
  return found
}

function findCached(team: Pick<Team, 'id'>, reference: string): Procedure | undefined {
  const id = UUID.test(reference) ? reference.toLowerCase() : cachedIds.get(toKey(team, reference))
  const cached = id === undefined ? undefined : cachedProcedures.get(toKey(team, id))
  // A procedure that was cached under another address may have another short id by now.
  return cached?.id === reference.toLowerCase() || cached?.shortId === reference ? cached : undefined
}

function keepProcedure(team: Pick<Team, 'id'>, reference: string, procedure: Procedure): void {
  if (reference === procedure.shortId) cachedIds.set(toKey(team, reference), procedure.id)
  cachedProcedures.set(toKey(team, procedure.id), procedure)
}

/** Prepares to read the procedure that an address names together with the token. */
export function preloadProcedure(reference: string | undefined, team: SQL<number>) {
  if (reference === undefined) return undefined
  return {
    statement: selectProcedure(team, reference),
    keep([row]: SelectedProcedure[], owner: Pick<Team, 'id'>) {
      if (row) keepProcedure(owner, reference, toProcedureRow(row))
    },
  }
}

/** Acts by the definition in force: first by the cached one, and again by a fresh one if that was stale. */
export async function withProcedure<T>(
  scope: Scope,
  reference: string,
  act: (procedure: Procedure) => Promise<T>,
  attempt = 1,
): Promise<T> {
  const procedure = await getProcedure(scope, reference)
  try {
    return await act(procedure).catch(error => confirmRefusal(scope, procedure, error))
  } catch (error) {
    if (!isStale(error)) throw error
    if (attempt >= ATTEMPTS_MAX) throw definitionContendedError(procedure.shortId, error)
    cachedProcedures.delete(toKey(scope.team, procedure.id))
    return withProcedure(scope, reference, act, attempt + 1)
  }
}

/** Confirms a refusal, which relies on a definition that no statement may have compared yet: only the one in force refuses. */
async function confirmRefusal(scope: Scope, procedure: Procedure, error: unknown): Promise<never> {
  if (error instanceof AppError && (error.code === 'invalid_request' || error.code === 'conflict'))
    await scope.db.read(guardDefinition(procedure))
  throw error
}
