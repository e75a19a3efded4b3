import { isRecordConflict } from '../customer-record/plan.ts'
import { isTooLarge } from '../db/document/size.ts'
import { isGuardFailure, isUniqueViolation } from '../db/guard.ts'
import { retryOnConflict } from '../db/retry.ts'
import { AppError } from '../errors.ts'
import type { Procedure } from '../procedure/model.ts'
import type { Scope } from '../scope.ts'
import { duplicateKeyError, tooLargeError } from './refusals.ts'
import type { Change } from './rules.ts'
import { findProcess } from './store.ts'

/** The label of guards that fail when a process has changed since the decision on what to write. */
export const PROCESS_CHANGED = 'a process was changed meanwhile'

/** A statement changed nothing, and the process, read afterwards, shows no reason for that: it was changed in between. */
export class ProcessChanged extends Error {
  override readonly name = 'ProcessChanged'
}

/** Tells whether another request has written first, or has taken the same row number: a new decision can still succeed. */
const isConflict = (error: unknown): boolean =>
  error instanceof ProcessChanged ||
  isGuardFailure(error, PROCESS_CHANGED) ||
  isRecordConflict(error) ||
  isUniqueViolation(error, 'process.rid')

/** Decides on one process and writes it, a few times if others write at the same time. */
export async function writeWithRetry<T>(act: () => Promise<T>, isOtherConflict = isConflict): Promise<T> {
  try {
    return await retryOnConflict(error => isConflict(error) || isOtherConflict(error), act)
  } catch (error) {
    if (!isConflict(error)) throw error
    throw new AppError('conflict', 'the process is being changed by other requests; try again', error)
  }
}

/** Returns the error for the caller if a failed transaction means one: a key is taken, or a document is too large. */
export async function toRefusal(
  error: unknown,
  { scope, procedure, primaryKey }: { scope: Scope; procedure: Procedure; primaryKey: Change['primaryKey'] },
): Promise<unknown> {
  if (isTooLarge(error, 'process')) return tooLargeError('process', '/body/data', error)
  if (isTooLarge(error, 'record')) return tooLargeError('record', '/body/record/data', error)
  if (!isUniqueViolation(error, 'process.primary_key') || typeof primaryKey !== 'string') return error
  const holder = await findProcess(scope, procedure, { primaryKey })
  return duplicateKeyError(procedure, primaryKey, holder?.id)
}
