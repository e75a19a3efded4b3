import type { Context } from 'hono'
import { StorageError, StorageFullError } from '../../db/storage-error.ts'
import { AppError } from '../../errors.ts'
import type { AppEnv } from '../context.ts'
import { sendError } from './envelope.ts'

/** Sends every error in the envelope. An error that is no `AppError` is a bug or an outage: it is logged, and its text is not sent. */
export function onError(error: Error, c: Context<AppEnv>): Response {
  // The first request still runs, so there is no response yet to replay.
  if (error instanceof AppError && error.code === 'request_in_progress') c.set('replayed', false)
  if (error instanceof AppError) return sendError(c, error, getErrorHeaders(error))
  c.set('cause', error)
  if (error instanceof StorageFullError) return sendError(c, storageFullError(error))
  if (error instanceof StorageError) return sendError(c, storageUnavailableError(error), { 'retry-after': '1' })
  return sendError(c, new AppError('internal_error', 'internal error; quote the request id when you report it'))
}

const storageFullError = ({ message }: StorageFullError): AppError =>
  new AppError('storage_full', [{ message, hint: 'nothing was changed; the operator has to free space' }])

function storageUnavailableError({ message, nothingChanged }: StorageError): AppError {
  const hint = nothingChanged
    ? 'nothing was changed; try again'
    : 'it may have taken effect; an idempotency key makes it safe to try again'
  return new AppError('storage_unavailable', [{ message, hint }])
}

function getErrorHeaders(error: AppError): Record<string, string> {
  if (error.code === 'unauthenticated')
    return { 'www-authenticate': 'Bearer realm="caseworker", error="invalid_token"' }
  if (error.code === 'storage_unavailable' || error.code === 'request_in_progress') return { 'retry-after': '1' }
  const wait = error.faults[0]?.detail?.retryAfterSeconds
  return typeof wait === 'number' ? { 'retry-after': String(wait) } : {}
}
