import type { Warning } from '../generated/shapes.ts'
import type { ResolvedSettings } from '../settings.ts'
import { CaseworkerError, type Fault } from './error.ts'
import { errorOf, isJson } from './response-error.ts'

export interface PreparedRequest {
  operation: string
  method: string
  address: string
  headers: Record<string, string>
  body?: string | ArrayBuffer
  /** Whether the operation returns a stream instead of an envelope. */
  isStream: boolean
  signal: AbortSignal | undefined
  timeoutMs: number
}

/** The response without its envelope, or the stream. */
export interface ReceivedResponse {
  status: number
  headers: Headers
  data: unknown
  meta: ReceivedMeta
}

interface ReceivedMeta {
  warnings?: readonly Warning[]
}

type Envelope = Record<'_data', unknown> & Record<'_meta', ReceivedMeta>

/** One try: a response, or a `CaseworkerError` with the reason. An abort by the caller is rethrown unchanged. */
export async function attempt(settings: ResolvedSettings, prepared: PreparedRequest): Promise<ReceivedResponse> {
  const { operation, method, address, body, isStream, signal, timeoutMs } = prepared
  const token = typeof settings.token === 'function' ? await settings.token() : settings.token
  const aborter = new AbortController()
  const timer = setTimeout(() => aborter.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
  const stop = () => aborter.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    const init = {
      method,
      ...(token === null
        ? ({ headers: prepared.headers, credentials: 'same-origin' } as const)
        : { headers: { ...prepared.headers, authorization: `Bearer ${token}` } }),
      signal: aborter.signal,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    } as const
    const response = await settings.fetch(address, init)
    const received = { status: response.status, headers: response.headers }
    if (response.status === 304) return { ...received, data: undefined, meta: {} }
    if (!response.ok || isStream === isJson(response)) throw errorOf(operation, response, await response.text())
    if (isStream) return { ...received, data: response.body, meta: warningsIn(response.headers) }
    const text = await response.text()
    const envelope = JSON.parse(text) as Partial<Envelope> | null
    if (envelope?._data === undefined) throw errorOf(operation, response, text)
    return { ...received, data: envelope._data, meta: envelope._meta ?? {} }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (error instanceof CaseworkerError) throw error
    const cause = aborter.signal.aborted ? aborter.signal.reason : error
    const message = `no response: ${reasonOf(cause)}`
    const fault: Fault = { code: 'no_response', message }
    throw new CaseworkerError({ code: 'no_response', status: 0, errors: [fault], operation, cause })
  } finally {
    clearTimeout(timer)
    // A stream continues after this function, so the caller can still abort it.
    if (!isStream) signal?.removeEventListener('abort', stop)
  }
}

/** A stream has no `_meta`: its warnings are in a header. */
function warningsIn(headers: Headers): ReceivedMeta {
  const text = headers.get('x-caseworker-warnings')
  return text === null ? {} : { warnings: JSON.parse(text) as Warning[] }
}

/** The error of `fetch` says little (`fetch failed`); its cause says more. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const deeper = cause.cause instanceof Error ? cause.cause : undefined
  const code = deeper !== undefined && 'code' in deeper ? String(deeper.code) : undefined
  const more = deeper?.message || code
  return more === undefined ? cause.message : `${cause.message}: ${more}`
}
