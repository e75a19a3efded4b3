import type { ErrorCode, Faults } from '../generated/faults.ts'
import { parseRetryAfter } from './retry-rules.ts'

/** No response: the network failed, or the timeout was exceeded. */
type NoResponse = 'no_response'
/** The response is not from the API but from a proxy or another server. */
type UnexpectedResponse = 'unexpected_response'

/** The client's settings or the arguments of the call can't be right. Nothing was sent. */
type InvalidCall = 'invalid_call'

export type Code = ErrorCode | NoResponse | UnexpectedResponse | InvalidCall

/** One error of `_meta.errors`: a sentence, often with the path in the request and the correction. */
export interface Fault {
  code: Code
  message: string
  path?: string | undefined
  hint?: string | undefined
  docs?: string | undefined
  [member: string]: unknown
}

interface ErrorDetails {
  code: Code
  status: number
  errors: readonly Fault[]
  operation: string
  requestId?: string | undefined
  retryAfterMs?: number | undefined
  cause?: unknown
}

/** The error that a failed call throws. */
export class CaseworkerError extends Error {
  override readonly name = 'CaseworkerError'
  readonly code: Code
  /** The HTTP status; 0 if there was no response. */
  readonly status: number
  /** All errors of the request, in the order of the API. */
  readonly errors: readonly Fault[]
  /** The id of the operation that failed. */
  readonly operation: string
  /** Quote it when you report a problem. */
  readonly requestId: string | undefined
  /** The wait that the API asks for before the next try. */
  readonly retryAfterMs: number | undefined
  /** The number of tries. If a DELETE is `not_found` after more than one try, an earlier try may have deleted it. */
  tries = 1

  constructor({ code, status, errors, operation, requestId, retryAfterMs, cause }: ErrorDetails) {
    super(`${operation}: ${errors.map(formatFault).join('; ') || code}`, { cause })
    this.code = code
    this.status = status
    this.errors = errors
    this.operation = operation
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }

  /** Narrows the error to a code and the details of that code: `error.is('duplicate_primary_key')`. */
  is<One extends Code>(code: One): this is CaseworkerError & Narrowed<One> {
    return this.code === code
  }
}

/** The error of settings or arguments that no call can be made with. */
export function invalidCall(message: string, operation = 'caseworker', hint?: string): CaseworkerError {
  const fault: Fault = { code: 'invalid_call', message, ...(hint === undefined ? {} : { hint }) }
  return new CaseworkerError({ code: 'invalid_call', status: 0, errors: [fault], operation })
}

/** The error of a call whose response did not come, or not to its end. */
export function noResponse(operation: string, message: string, cause?: unknown): CaseworkerError {
  const errors: Fault[] = [{ code: 'no_response', message }]
  return new CaseworkerError({ code: 'no_response', status: 0, errors, operation, cause })
}

interface Narrowed<One extends Code> {
  readonly code: One
  readonly errors: readonly (One extends ErrorCode ? Faults[One] & Fault : Fault)[]
}

const formatFault = ({ message, path, hint }: Fault): string =>
  `${path === undefined ? '' : `${path}: `}${message}${hint === undefined ? '' : ` (${hint})`}`

export const isJson = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('application/json') === true

/** The quoted part of an unexpected response. */
const QUOTED_CHARACTERS_MAX = 200

/** The error of a response that is no success, or not from the API. */
export function toResponseError(operation: string, response: Response, text: string): CaseworkerError {
  const { status, headers } = response
  const errors = isJson(response) ? parseFaults(text) : []
  const code = errors[0]?.code ?? 'unexpected_response'
  const where = headers.has('location')
    ? `it leads to ${headers.get('location')}`
    : text.slice(0, QUOTED_CHARACTERS_MAX)
  const unexpected = `unexpected response ${status}, which is not from the API: ${where}`
  return new CaseworkerError({
    code,
    status,
    errors: errors.length > 0 ? errors : [{ code, message: unexpected }],
    operation,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), Date.now()),
  })
}

function parseFaults(text: string): Fault[] {
  try {
    return (JSON.parse(text) as { _meta?: { errors?: Fault[] } })._meta?.errors ?? []
  } catch {
    return []
  }
}
