import { DOCUMENT_BYTES_MAX } from '../db/document/size.ts'
import { AppError } from '../errors.ts'
import { pointer } from '../http/request/faults.ts'
import type { Procedure } from '../procedure/model.ts'

export const tooLarge = (what: string, path: string, cause?: unknown): AppError =>
  new AppError(
    'request_too_large',
    [{ message: `with this the attributes of the ${what} would take more than ${DOCUMENT_BYTES_MAX} bytes`, path }],
    cause,
  )

export const duplicate = (procedure: Procedure, primaryKey: string, processId?: string): AppError =>
  new AppError('duplicate_primary_key', [
    {
      message: `a process with ${procedure.primaryKey} ${JSON.stringify(primaryKey)} exists already`,
      path: pointer('body', 'data', procedure.primaryKey ?? ''),
      ...(processId === undefined ? {} : { detail: { processId } }),
    },
  ])
