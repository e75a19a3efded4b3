import { isRefusedByDatabase, StorageError } from '../../db/storage-error.ts'
import { AppError } from '../../errors.ts'
import type { EntryRunner } from '../kind.ts'

/** Errors that occur again at each attempt: the statement is refused, or our code is wrong. */
export function isPermanent(error: unknown, kind: EntryRunner): boolean {
  if (!(error instanceof Error) || kind.isStale?.(error)) return false
  return (
    kind.isConflict(error) || error instanceof TypeError || error instanceof RangeError || isRefusedByDatabase(error)
  )
}

/** The statement itself exceeded the memory or time of the database. */
export const isTooMuchAtOnce = (error: unknown): boolean =>
  error instanceof StorageError &&
  error.cause instanceof Error &&
  /exceeded its (memory|CPU time) limit/.test(error.cause.message)

/** Our own words only: what a database says may hold values and SQL. */
export const toFailureReason = (error: unknown, kind: EntryRunner | undefined): AppError => {
  if (kind?.isConflict(error))
    return new AppError('conflict', 'the process is being changed by other requests; try again')
  const reason = error instanceof StorageError ? error.message : 'something went wrong on our side'
  return new AppError('internal_error', `it failed repeatedly: ${reason}`)
}
