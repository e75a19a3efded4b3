import { isGuardFailure } from './db/guard.ts'
import { retryOnConflict } from './db/retry.ts'
import { AppError } from './errors.ts'

/**
 * Runs `act`, which decides by a row and writes, again while a guard of that label finds that others have changed the row. After too
 * many attempts the caller is told to try again.
 */
export const retryWhileChanged = <T>(noun: string, label: string, act: () => Promise<T>): Promise<T> =>
  retryOnConflict(error => isGuardFailure(error, label), act).catch((error: unknown) => {
    if (!isGuardFailure(error, label)) throw error
    throw new AppError('conflict', `the ${noun} is being changed by other requests; try again`, error)
  })
