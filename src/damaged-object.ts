import { describeError } from './describe-error.ts'
import { AppError } from './errors.ts'

/**
 * Refuses what was to be read from an object of R2 that is there and cannot be understood: no other request could. The operator
 * is told which object it is, the caller what is damaged.
 */
export function refuseDamaged(what: string, key: string, cause: unknown): AppError {
  console.error(JSON.stringify({ damagedObject: key, cause: describeError(cause) }))
  return new AppError('storage_damaged', `${what} is damaged, and cannot be read`, cause)
}

export const isDamaged = (error: unknown): boolean => error instanceof AppError && error.code === 'storage_damaged'
