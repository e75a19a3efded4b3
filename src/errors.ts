/** All codes that a caller can receive. `http/response/status.ts` gives each its status, the docs give each an anchor. */
export const ERROR_CODES = [
  'malformed_json',
  'invalid_request',
  'unauthenticated',
  'permission_denied',
  'team_suspended',
  'not_found',
  'method_not_allowed',
  'not_acceptable',
  'history_expired',
  'conflict',
  'changed_since',
  'duplicate_primary_key',
  'duplicate_record',
  'record_merged',
  'transition_not_allowed',
  'definition_in_use',
  'no_phone_number',
  'plugin_stopped',
  'opted_out',
  'event_feed_off',
  'sequence_expired',
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
  'storage_full',
  'storage_damaged',
  'maintenance',
  'not_offered',
  'internal_error',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** The faults in a response. Nobody reads more. */
const FAULTS_MAX = 100
/** The faults of one error that get a suggestion, because each takes some computing. */
const SUGGESTIONS_MAX = 10

/** A fault of a request. `path` is a JSON Pointer into the request; `hint` is the correction, if that is obvious. */
export interface Fault {
  message: string
  path?: string
  /** The hint, or a function that is called only if the fault is reported: see `suggest.ts`. */
  hint?: string | (() => string | undefined) | undefined
  /** Further members for programs, such as the id of the process that holds a primary key. */
  detail?: Record<string, unknown>
  /** What stood there, where something else must. A call knows what it has sent; entries of a job quote it. */
  refused?: unknown
  /** The message with the refused value in it, which an entry of a job has in place of `message` if there is room. */
  quoted?: string
}

/** A fault as it is reported to the caller. */
export interface ReportedFault extends Omit<Fault, 'refused'> {
  hint?: string
}

/** The number of suggestions that may still be computed. The entries of one bulk request share it. */
interface SuggestionBudget {
  left: number
}

/** Returns the first faults with their hints, and one more that counts the rest. */
export function reportFaults(
  faults: readonly Fault[],
  budget: SuggestionBudget = { left: SUGGESTIONS_MAX },
): ReportedFault[] {
  const reported = faults.slice(0, FAULTS_MAX).map(({ hint, refused: _, ...fault }): ReportedFault => {
    const text = typeof hint === 'function' ? (budget.left-- > 0 ? hint() : undefined) : hint
    return text === undefined ? fault : { ...fault, hint: text }
  })
  const rest = faults.length - FAULTS_MAX
  return rest > 0 ? [...reported, { message: `and ${rest} more` }] : reported
}

/** An error that the caller can act on. Any other thrown error is ours: 500 over HTTP, retried in a queue. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly faults: ReportedFault[]

  constructor(code: ErrorCode, faults: readonly Fault[] | string, cause?: unknown) {
    const reported = typeof faults === 'string' ? [{ message: faults }] : reportFaults(faults)
    super(reported[0]?.message ?? code, { cause })
    this.code = code
    this.faults = reported
  }
}

export const notFound = (what: string): AppError => new AppError('not_found', `${what} not found`)

export const invalid = (faults: readonly Fault[]): AppError => new AppError('invalid_request', faults)
