import { describeError } from './describe-error.ts'
import { AppError } from './errors.ts'

/**
 * Returns the error for an object of R2 that exists and cannot be parsed, which no retry would change. The log tells the
 * operator its key; the error tells the caller what is damaged.
 */
export function damagedError(what: string, key: string, cause: unknown): AppError {
  console.error(JSON.stringify({ damagedObject: key, cause: describeError(cause) }))
  return new AppError('storage_damaged', `${what} is damaged, and cannot be read`, cause)
}

export const isDamaged = (error: unknown): boolean => error instanceof AppError && error.code === 'storage_damaged'
