import { OPERATIONS, type Operations } from '../generated/operations.ts'
import type { Warning } from '../generated/shapes.ts'
import type { FetchInit, ResolvedSettings } from '../settings.ts'
import { CaseworkerError, invalidCall, isJson, noResponse, toResponseError } from './error.ts'
import { getWaitMs, isRetryable } from './retry-rules.ts'
import { sleep } from './sleep.ts'
import { toByteStream, withStreamErrors } from './streams.ts'

export type OperationId = keyof Operations

/** Options of every call. */
export interface CallOptions {
  signal?: AbortSignal | undefined
  /** A key of your own, so that repeating the call has no further effect. The default is a random key. */
  idempotencyKey?: string | undefined
  /** The timeout of one try, until its response begins. */
  timeoutMs?: number | undefined
  retries?: number | undefined
}

/** Headers of some operations. */
export interface RequestOptions extends CallOptions {
  ifMatch?: string | undefined
  ifNoneMatch?: string | undefined
  accept?: string | undefined
}

type Part<Id extends OperationId, Name extends string> =
  Operations[Id] extends Record<Name, infer Value> ? Value : never

/** The path, query and body of an operation. The query is optional. */
export type CallInput<Id extends OperationId> = Pick<Operations[Id], keyof Operations[Id] & ('path' | 'body')> & {
  query?: Part<Id, 'query'> | undefined
}

export interface CallResult<Id extends OperationId> {
  status: number
  headers: Headers
  data: Part<Id, 'data'>
  meta: Part<Id, 'meta'>
}

export type Call = <Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  options?: RequestOptions,
) => Promise<CallResult<Id>>

/** The data with the entity tag of the response, which is not enumerable: it is not printed, copied or sent back. */
export const toTagged = <Tagged>({ data, headers }: { data: object; headers: Headers }): Tagged =>
  Object.defineProperty(data, 'etag', { value: headers.get('etag') ?? '' }) as Tagged

/** A body that is sent as it is, such as a file. */
export interface FileBody {
  mediaType: string
  content: FileContent
}

export type FileContent = string | Blob | ReadableStream<Uint8Array> | AsyncIterable<string | Uint8Array>

/** Returns the function that calls any operation of the API: typed, retried where that is safe. Failures are a `CaseworkerError`. */
export const createCall = (settings: ResolvedSettings): Call => {
  const bookmarks = trackBookmarks(settings)
  return async <Id extends OperationId>(
    id: Id,
    input: CallInput<Id>,
    options: RequestOptions = {},
  ): Promise<CallResult<Id>> => {
    const { retry } = OPERATIONS[id]
    const request = await prepareRequest(settings, id, input as InputParts, options)
    Object.assign(request.headers, bookmarks.getHeaders())
    const startedAt = Date.now()
    const reportCall = (status: number, tries: number, requestId: string | undefined) =>
      settings.onCall({ operation: id, status, tries, ms: Date.now() - startedAt, requestId })
    for (let tries = 1; ; tries++) {
      try {
        const received: ReceivedResponse = await sendOnce(settings, request)
        bookmarks.remember(received.headers)
        for (const warning of received.meta.warnings ?? []) settings.onWarning(warning, id)
        reportCall(received.status, tries, received.headers.get('x-request-id') ?? undefined)
        return received as unknown as CallResult<Id>
      } catch (error) {
        if (!(error instanceof CaseworkerError)) throw error
        error.tries = tries
        const isLast = request.duplex === 'half' || tries > (options.retries ?? settings.retries)
        if (isLast || !isRetryable(error, retry)) {
          reportCall(error.status, tries, error.requestId)
          throw error
        }
        await sleep(getWaitMs(tries, settings.backoffMs, error.retryAfterMs, Math.random()), options.signal)
      }
    }
  }
}

const BOOKMARK_HEADER = 'x-caseworker-bookmark'

/** Remembers the newest state of the database that a response of this client saw, and asks for one no older. */
function trackBookmarks({ reads }: Pick<ResolvedSettings, 'reads'>) {
  let newest = ''
  return {
    getHeaders: (): Record<string, string> => (reads === 'primary' ? {} : { [BOOKMARK_HEADER]: newest || 'any' }),
    remember(headers: Headers): void {
      const bookmark = headers.get(BOOKMARK_HEADER) ?? ''
      // Bookmarks sort as text in the order of their states.
      if (bookmark > newest) newest = bookmark
    },
  }
}

interface InputParts {
  path?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

export interface PreparedRequest {
  operation: string
  method: string
  address: string
  headers: Record<string, string>
  body?: RequestBody
  /** Set for a body that can be read only once: there is no further try. */
  duplex?: 'half'
  /** True if the operation returns a stream instead of an envelope. */
  isStream: boolean
  signal: AbortSignal | undefined
  timeoutMs: number
}

type RequestBody = NonNullable<FetchInit['body']>

const JSON_TYPE = 'application/json'
/** The time limit for content of unknown size. */
const STREAM_MS = 15 * 60_000
/** The slowest line on which a file is waited for: 100 kB a second. */
const BYTES_PER_MS = 100

/** Prepares what all tries have in common: the idempotency key and the bytes of the body. */
async function prepareRequest(
  settings: ResolvedSettings,
  id: OperationId,
  { path, query, body }: InputParts,
  options: RequestOptions,
): Promise<PreparedRequest> {
  const { method, path: template, retry, ...kind } = OPERATIONS[id]
  const { ifMatch, ifNoneMatch, accept, idempotencyKey, signal } = options
  const input = body === undefined ? undefined : await serializeBody(body)
  const timeoutMs = settings.timeoutMs + (isFileBody(body) ? getTransferMs(body) : 0)
  const key = retry === 'key' ? (idempotencyKey ?? crypto.randomUUID()) : undefined
  const headers = {
    ...(input === undefined ? {} : { 'content-type': input.type }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    ...(accept === undefined ? {} : { accept }),
  }
  return {
    operation: id,
    method,
    address: settings.baseUrl + fillPath(id, template, path ?? {}) + formatQuery(query ?? {}),
    headers,
    isStream: 'stream' in kind || (accept ?? JSON_TYPE) !== JSON_TYPE,
    signal,
    timeoutMs: options.timeoutMs ?? timeoutMs,
    ...(input === undefined ? {} : { body: input.body }),
    ...(input?.body instanceof ReadableStream ? { duplex: 'half' } : {}),
  }
}

/** A form gets its boundary once: with another boundary, the API would see another request. */
async function serializeBody(body: unknown): Promise<{ type: string; body: RequestBody }> {
  if (body instanceof FormData) {
    const form = new Response(body)
    return { type: form.headers.get('content-type') ?? '', body: await form.arrayBuffer() }
  }
  if (isFileBody(body)) return { type: body.mediaType, body: toRequestBody(body.content) }
  return { type: JSON_TYPE, body: JSON.stringify(body) }
}

const isFileBody = (body: unknown): body is FileBody =>
  typeof body === 'object' && body !== null && 'mediaType' in body && 'content' in body

/** Returns the time that a file may take to be sent, besides the time limit of a response. */
function getTransferMs({ content }: FileBody): number {
  if (typeof content === 'string') return content.length / BYTES_PER_MS
  return content instanceof Blob ? content.size / BYTES_PER_MS : STREAM_MS
}

const toRequestBody = (content: FileContent): RequestBody =>
  typeof content === 'string' || content instanceof Blob || content instanceof ReadableStream
    ? content
    : toByteStream(content)

/** An empty segment, or one of dots, would change the path. */
const fillPath = (operation: string, template: string, path: Record<string, string>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(path[name] ?? '')
    if (/^\.{0,2}$/.test(value)) throw invalidCall(`${name} cannot be ${JSON.stringify(value)}`, operation)
    return encodeURIComponent(value)
  })

function formatQuery(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const params = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))
  return given.length === 0 ? '' : `?${params}`
}

/** The response without its envelope, or the stream. */
interface ReceivedResponse {
  status: number
  headers: Headers
  data: unknown
  meta: ReceivedMeta
}

interface ReceivedMeta {
  warnings?: readonly Warning[]
}

type Envelope = Record<'_data', unknown> & Record<'_meta', ReceivedMeta>

/**
 * Makes one try: returns a response, or a `CaseworkerError` with the reason. An abort by the caller is rethrown
 * unchanged.
 */
export async function sendOnce(settings: ResolvedSettings, request: PreparedRequest): Promise<ReceivedResponse> {
  const { operation, method, address, body, duplex, isStream, signal, timeoutMs } = request
  const token = typeof settings.token === 'function' ? await settings.token() : settings.token
  // A signal that is aborted already calls no listener.
  signal?.throwIfAborted()
  const aborter = new AbortController()
  const timer = setTimeout(() => aborter.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
  const stop = () => aborter.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    const init = {
      method,
      ...(token === null
        ? ({ headers: request.headers, credentials: 'same-origin' } as const)
        : { headers: { ...request.headers, authorization: `Bearer ${token}` } }),
      signal: aborter.signal,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
      ...(duplex === undefined ? {} : { duplex }),
    } as const
    const response = await settings.fetch(address, init)
    const received = { status: response.status, headers: response.headers }
    if (response.status === 304) return { ...received, data: undefined, meta: {} }
    // A file may be JSON itself; where a format was asked for, JSON is not it.
    const isExpected = isStream ? request.headers.accept === undefined || !isJson(response) : isJson(response)
    if (!response.ok || !isExpected) throw toResponseError(operation, response, await response.text())
    if (isStream) {
      const data = response.body && withStreamErrors(operation, response.body)
      return { ...received, data, meta: parseWarnings(response.headers) }
    }
    const text = await response.text()
    const envelope = JSON.parse(text) as Partial<Envelope> | null
    if (envelope?._data === undefined) throw toResponseError(operation, response, text)
    return { ...received, data: envelope._data, meta: envelope._meta ?? {} }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (error instanceof CaseworkerError) throw error
    const cause = aborter.signal.aborted ? aborter.signal.reason : error
    throw noResponse(operation, `no response: ${formatCause(cause)}`, cause)
  } finally {
    clearTimeout(timer)
    // A stream continues after this function, so the caller can still abort it.
    if (!isStream) signal?.removeEventListener('abort', stop)
  }
}

/** A stream has no `_meta`: its warnings are in a header. */
function parseWarnings(headers: Headers): ReceivedMeta {
  const text = headers.get('x-caseworker-warnings')
  return text === null ? {} : { warnings: JSON.parse(text) as Warning[] }
}

/** The error of `fetch` says little (`fetch failed`); its cause says more. */
function formatCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const deeper = cause.cause instanceof Error ? cause.cause : undefined
  const code = deeper !== undefined && 'code' in deeper ? String(deeper.code) : undefined
  const more = deeper?.message || code
  return more === undefined ? cause.message : `${cause.message}: ${more}`
}
