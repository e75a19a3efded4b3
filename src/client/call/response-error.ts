import { CaseworkerError, type Fault } from './error.ts'
import { retryAfterMsOf } from './retry-rules.ts'

export const isJson = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('application/json') === true

const TEXT_SHOWN = 200

/** The error of a response that is none of success, or not from the API. */
export function errorOf(operation: string, response: Response, text: string): CaseworkerError {
  const { status, headers } = response
  const errors = isJson(response) ? parseFaults(text) : []
  const code = errors[0]?.code ?? 'unexpected_response'
  const where = headers.has('location') ? `it leads to ${headers.get('location')}` : text.slice(0, TEXT_SHOWN)
  const unexpected = `unexpected response ${status}, which is not from the API: ${where}`
  return new CaseworkerError({
    code,
    status,
    errors: errors.length > 0 ? errors : [{ code, message: unexpected }],
    operation,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterMsOf(headers.get('retry-after'), Date.now()),
  })
}

function parseFaults(text: string): Fault[] {
  try {
    return (JSON.parse(text) as { _meta?: { errors?: Fault[] } })._meta?.errors ?? []
  } catch {
    return []
  }
}
