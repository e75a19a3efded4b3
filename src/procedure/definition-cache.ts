import { AppError } from '../errors.ts'
import { UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { suggestion } from '../suggest.ts'
import { changedMeanwhile, guardDefinition, isStale } from './definition-guard.ts'
import type { Procedure } from './model.ts'
import { findProcedure, listShortIds } from './store.ts'

const REMEMBERED_MAX = 5_000
const ATTEMPTS_MAX = 5

/** Definitions this isolate has seen. One may be out of date: every statement that relies on it says so (`guardDefinition`). */
const remembered = new Map<string, Procedure>()

const keyOf = (scope: Scope, reference: string) => `${scope.team.no}/${reference}`

/** A miss costs one read more: of the names that there are. */
export async function noSuchProcedure(scope: Scope, reference: string): Promise<AppError> {
  const hint = UUID.test(reference) ? {} : suggestion(reference, await listShortIds(scope))
  return new AppError('not_found', [{ message: `procedure ${reference} not found`, ...hint }])
}

async function getProcedure(scope: Scope, reference: string): Promise<Procedure> {
  const known = remembered.get(keyOf(scope, reference))
  if (known) return known
  const found = await findProcedure(scope, reference)
  if (!found) throw await noSuchProcedure(scope, reference)
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  remembered.set(keyOf(scope, reference), found)
  return found
}

/** Does something by the definition in force: begins with the one at hand, and again with a fresh one if that was stale. */
export async function withProcedure<T>(
  scope: Scope,
  reference: string,
  act: (procedure: Procedure) => Promise<T>,
  attempt = 1,
): Promise<T> {
  const procedure = await getProcedure(scope, reference)
  try {
    return await act(procedure).catch(error => refuseAnew(scope, procedure, error))
  } catch (error) {
    if (!isStale(error)) throw error
    if (attempt >= ATTEMPTS_MAX) throw changedMeanwhile(procedure.shortId, error)
    remembered.delete(keyOf(scope, reference))
    return withProcedure(scope, reference, act, attempt + 1)
  }
}

/** A refusal is by the definition at hand, often before any statement has relied on it: made sure that it still holds. */
async function refuseAnew(scope: Scope, procedure: Procedure, error: unknown): Promise<never> {
  if (error instanceof AppError && (error.code === 'invalid_request' || error.code === 'conflict'))
    await scope.db.batch([guardDefinition(procedure)])
  throw error
}
