import { CaseworkerError, type Fault } from './error.ts'
import { retryAfterMsOf } from './retry-rules.ts'
import type { Line } from './settings.ts'

export interface Prepared {
  operation: string
  method: string
  address: string
  headers: Record<string, string>
  body?: string | ArrayBuffer
  /** Whether a stream is wanted, instead of an answer in the envelope. */
  isStream: boolean
  signal: AbortSignal | undefined
  timeoutMs: number
}

/** What came back, unwrapped; or the stream itself. */
export interface Received {
  status: number
  headers: Headers
  data: unknown
  meta: unknown
}

type Envelope = Record<'_data' | '_meta', unknown>

/** One try: an answer, or a `CaseworkerError` that says why there is none. The caller's own abort is thrown as it is. */
export async function attempt(line: Line, prepared: Prepared): Promise<Received> {
  const { operation, method, address, body, isStream, signal, timeoutMs } = prepared
  const token = typeof line.token === 'string' ? line.token : await line.token()
  const lost = new AbortController()
  const timer = setTimeout(() => lost.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
  const stop = () => lost.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    const headers = { ...prepared.headers, authorization: `Bearer ${token}` }
    const init = {
      method,
      headers,
      signal: lost.signal,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    } as const
    const response = await line.fetch(address, init)
    const received = { status: response.status, headers: response.headers }
    if (response.status === 304) return { ...received, data: undefined, meta: {} }
    if (!response.ok || isStream === isJson(response)) throw errorOf(operation, response, await response.text())
    if (isStream) return { ...received, data: response.body, meta: {} }
    const text = await response.text()
    const envelope = JSON.parse(text) as Partial<Envelope> | null
    if (envelope?._data === undefined) throw errorOf(operation, response, text)
    return { ...received, data: envelope._data, meta: envelope._meta }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (error instanceof CaseworkerError) throw error
    const cause = lost.signal.aborted ? lost.signal.reason : error
    const message = `no answer: ${reasonOf(cause)}`
    const fault: Fault = { code: 'no_answer', message }
    throw new CaseworkerError({ code: 'no_answer', status: 0, errors: [fault], operation, cause })
  } finally {
    clearTimeout(timer)
    // A stream goes on: whoever reads it may still be told to stop.
    if (!isStream) signal?.removeEventListener('abort', stop)
  }
}

/** The platform's own words are few (`fetch failed`); what they are caused by says more. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const deeper = cause.cause instanceof Error ? cause.cause : undefined
  const code = deeper !== undefined && 'code' in deeper ? String(deeper.code) : undefined
  const more = deeper?.message || code
  return more === undefined ? cause.message : `${cause.message}: ${more}`
}

const isJson = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('application/json') === true

const TEXT_SHOWN = 200

function errorOf(operation: string, response: Response, text: string): CaseworkerError {
  const { status, headers } = response
  const errors = isJson(response) ? faultsIn(text) : []
  const code = errors[0]?.code ?? 'strange_answer'
  const where = headers.has('location') ? `it leads to ${headers.get('location')}` : text.slice(0, TEXT_SHOWN)
  const strange = `the answer ${status} is none of the API: ${where}`
  return new CaseworkerError({
    code,
    status,
    errors: errors.length > 0 ? errors : [{ code, message: strange }],
    operation,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterMsOf(headers.get('retry-after'), Date.now()),
  })
}

function faultsIn(text: string): Fault[] {
  try {
    return (JSON.parse(text) as { _meta?: { errors?: Fault[] } })._meta?.errors ?? []
  } catch {
    return []
  }
}
