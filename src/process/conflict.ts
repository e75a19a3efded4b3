import { isTooLarge } from '../db/document-size.ts'
import { isGuardFailure, isUniqueViolation } from '../db/guard.ts'
import { retryOnConflict } from '../db/retry.ts'
import { AppError } from '../errors.ts'
import type { Procedure } from '../procedure/model.ts'
import { isRecordConflict } from '../record/operations.ts'
import type { Scope } from '../scope.ts'
import { duplicate, tooLarge } from './refusals.ts'
import type { Change } from './rules.ts'
import { findProcess } from './store.ts'

/** For guards: a process is not as it was when it was decided what to write. */
export const PROCESS_CHANGED = 'a process was changed meanwhile'

/** A statement left a process alone that may be changed by now. */
export class ProcessChanged extends Error {
  override readonly name = 'ProcessChanged'
}

/** Somebody else was faster, or took the same number in the same millisecond: decided anew, it can still be done. */
const isConflict = (error: unknown): boolean =>
  error instanceof ProcessChanged ||
  isGuardFailure(error, PROCESS_CHANGED) ||
  isRecordConflict(error) ||
  isUniqueViolation(error, 'process.rid')

/** Decides on one process and writes it; anew after a conflict, a few times. */
export async function writeAnew<T>(act: () => Promise<T>, isOtherConflict = isConflict): Promise<T> {
  try {
    return await retryOnConflict(error => isConflict(error) || isOtherConflict(error), act)
  } catch (error) {
    if (!isConflict(error)) throw error
    throw new AppError('conflict', 'the process is being changed by other requests; try again', error)
  }
}

/** What a failed transaction says to the caller, where it says something: a key is taken, or a document too large. */
export async function refusalOf(
  error: unknown,
  { scope, procedure, primaryKey }: { scope: Scope; procedure: Procedure; primaryKey: Change['primaryKey'] },
): Promise<unknown> {
  if (isTooLarge(error, 'process')) return tooLarge('process', '/body/data', error)
  if (isTooLarge(error, 'record')) return tooLarge('record', '/body/record/data', error)
  if (!isUniqueViolation(error, 'process.primary_key') || typeof primaryKey !== 'string') return error
  const holder = await findProcess(scope, procedure, { primaryKey })
  return duplicate(procedure, primaryKey, holder?.id)
}
