import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { StorageError } from '../db/storage-error.ts'
import { AppError } from '../errors.ts'
import type { AppEnv } from './context.ts'
import { fail } from './envelope.ts'

/** Every failure wears the envelope. What is not an `AppError` is ours: it is logged, and the caller is told nothing. */
export async function onError(error: Error, c: Context<AppEnv>): Promise<Response> {
  // What is still running has no answer yet that could be repeated.
  if (error instanceof AppError && error.code === 'request_in_progress') c.header('idempotency-replayed', undefined)
  if (error instanceof AppError) return fail(c, error, headersOf(error))
  if (error instanceof HTTPException && error.status === 400)
    return fail(c, new AppError('malformed_json', [{ message: await whatIsWrong(c), path: '/body' }]))
  c.set('cause', error)
  if (error instanceof StorageError) return fail(c, unavailable(error), { 'retry-after': '1' })
  return fail(c, new AppError('internal_error', 'something went wrong on our side; quote the request id to us'))
}

function unavailable({ message, nothingChanged }: StorageError): AppError {
  const hint = nothingChanged
    ? 'nothing was changed; try again'
    : 'it may have taken effect; an idempotency key makes it safe to try again'
  return new AppError('storage_unavailable', [{ message, hint }])
}

function headersOf(error: AppError): Record<string, string> {
  if (error.code === 'unauthenticated')
    return { 'www-authenticate': 'Bearer realm="caseworker", error="invalid_token"' }
  if (error.code === 'storage_unavailable' || error.code === 'request_in_progress') return { 'retry-after': '1' }
  const wait = error.faults[0]?.detail?.retryAfterSeconds
  return typeof wait === 'number' ? { 'retry-after': String(wait) } : {}
}

async function whatIsWrong(c: Context<AppEnv>): Promise<string> {
  const text = await c.req.text()
  if (text.trim() === '') return 'the body is empty; it must be JSON'
  try {
    JSON.parse(text)
    return 'the body is not JSON'
  } catch (error) {
    return `the body is not JSON: ${error instanceof Error ? error.message : 'it cannot be parsed'}`
  }
}
