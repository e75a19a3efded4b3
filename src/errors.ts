/** Every code a caller can meet. `http/errors.ts` gives each its status, the docs give each an anchor. */
export const ERROR_CODES = [
  'malformed_json',
  'invalid_request',
  'unauthenticated',
  'permission_denied',
  'not_found',
  'method_not_allowed',
  'conflict',
  'duplicate_primary_key',
  'transition_not_allowed',
  'definition_in_use',
  'no_phone_number',
  'plugin_stopped',
  'precondition_failed',
  'request_too_large',
  'unsupported_media_type',
  'idempotency_key_reused',
  'request_in_progress',
  'rate_limited',
  'provider_refused',
  'provider_timeout',
  'provider_unavailable',
  'storage_unavailable',
  'internal_error',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** One fault. `path` is a JSON Pointer into the request; `hint` is there when the correction is plain. */
export interface Fault {
  message: string
  path?: string
  hint?: string
  /** More members for the machine-readable twin, such as the id of the process that holds a primary key. */
  detail?: Record<string, unknown>
}

/** An outcome that the caller can act on. Anything else that is thrown is our fault: 500 over HTTP, retried in a queue. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly faults: Fault[]

  constructor(code: ErrorCode, faults: Fault[] | string, cause?: unknown) {
    const list = typeof faults === 'string' ? [{ message: faults }] : faults
    super(list[0]?.message ?? code, { cause })
    this.code = code
    this.faults = list
  }
}

export const notFound = (what: string): AppError => new AppError('not_found', `${what} not found`)

export const invalid = (faults: Fault[]): AppError => new AppError('invalid_request', faults)
