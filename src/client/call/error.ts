import type { ErrorCode, Faults } from '../generated/faults.ts'

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
    super(`${operation}: ${errors.map(sentence).join('; ') || code}`, { cause })
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

/** Of settings and arguments that no call can be made with. */
export function invalidCall(message: string, operation = 'caseworker', hint?: string): CaseworkerError {
  const fault: Fault = { code: 'invalid_call', message, ...(hint === undefined ? {} : { hint }) }
  return new CaseworkerError({ code: 'invalid_call', status: 0, errors: [fault], operation })
}

interface Narrowed<One extends Code> {
  readonly code: One
  readonly errors: readonly (One extends ErrorCode ? Faults[One] & Fault : Fault)[]
}

const sentence = ({ message, path, hint }: Fault): string =>
  `${path === undefined ? '' : `${path}: `}${message}${hint === undefined ? '' : ` (${hint})`}`
