import type { ErrorCode, Faults } from './generated/faults.ts'

/** No answer came: the network failed, or it took too long. */
type NoAnswer = 'no_answer'
/** Something answered, but not the API: a proxy in between, or another server. */
type StrangeAnswer = 'strange_answer'

export type Code = ErrorCode | NoAnswer | StrangeAnswer

/** One thing that is wrong, as `_meta.errors` has it: a sentence, often the place in the request and the correction. */
export interface Fault {
  code: Code
  message: string
  path?: string | undefined
  hint?: string | undefined
  docs?: string | undefined
  [member: string]: unknown
}

interface Told {
  code: Code
  status: number
  errors: readonly Fault[]
  operation: string
  requestId?: string | undefined
  retryAfterMs?: number | undefined
  cause?: unknown
}

/** Everything that a call can fail with. */
export class CaseworkerError extends Error {
  override readonly name = 'CaseworkerError'
  readonly code: Code
  /** Of the answer; 0 where there was none. */
  readonly status: number
  /** Every fault of the request, in the order of the API. */
  readonly errors: readonly Fault[]
  /** The operation that failed, as the reference calls it. */
  readonly operation: string
  /** Quote it when you ask about a request. */
  readonly requestId: string | undefined
  /** How long the API asks to wait before the next try. */
  readonly retryAfterMs: number | undefined
  /** How often it was tried. After more than one try, a DELETE that is `not_found` may have been done by an earlier one. */
  tries = 1

  constructor({ code, status, errors, operation, requestId, retryAfterMs, cause }: Told) {
    super(`${operation}: ${errors.map(sentence).join('; ') || code}`, { cause })
    this.code = code
    this.status = status
    this.errors = errors
    this.operation = operation
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }

  /** Tells the codes apart, and with them what their faults carry: `error.is('duplicate_primary_key')`. */
  is<One extends Code>(code: One): this is CaseworkerError & Narrowed<One> {
    return this.code === code
  }
}

interface Narrowed<One extends Code> {
  readonly code: One
  readonly errors: readonly (One extends ErrorCode ? Faults[One] & Fault : Fault)[]
}

const sentence = ({ message, path, hint }: Fault): string =>
  `${path === undefined ? '' : `${path}: `}${message}${hint === undefined ? '' : ` (${hint})`}`
