import { DOCUMENT_BYTES_MAX } from '../db/document/size.ts'
import { AppError, type Fault, invalid } from '../errors.ts'
import { pointer } from '../http/request/faults.ts'
import type { Procedure } from '../procedure/model.ts'

export const tooLargeError = (what: string, path: string, cause?: unknown): AppError =>
  new AppError(
    'request_too_large',
    [{ message: `with this the attributes of the ${what} would take more than ${DOCUMENT_BYTES_MAX} bytes`, path }],
    cause,
  )

export const duplicateKeyError = (procedure: Procedure, primaryKey: string, processId?: string): AppError =>
  new AppError('duplicate_primary_key', [
    {
      message: `a process with ${procedure.primaryKey} ${JSON.stringify(primaryKey)} exists already`,
      path: pointer('body', 'data', procedure.primaryKey ?? ''),
      ...(processId === undefined ? {} : { detail: { processId } }),
    },
  ])

/** Returns the short id of the primary key, by which "create or update" finds a process. */
export function requirePrimaryKey({ primaryKey, shortId }: Procedure, path = '/body'): string {
  if (primaryKey !== null) return primaryKey
  throw invalid([
    {
      message: `the procedure ${shortId} has no primary key, by which a process would be found`,
      path,
      hint: 'declare a primary key, or create processes',
    },
  ])
}

/** Returns the fault of attributes without the primary key, unless `faults` has one for it. */
export function findMissingKeyFaults(
  key: string,
  data: Record<string, unknown> = {},
  faults: readonly Fault[] = [],
): Fault[] {
  if (Object.hasOwn(data, key) && data[key] !== null) return []
  const path = pointer('body', 'data', key)
  if (faults.some(fault => fault.path === path)) return []
  return [{ message: `${JSON.stringify(key)}, the primary key, is required`, path }]
}
