import { OPERATIONS, type Operations } from '../generated/operations.ts'
import type { ResolvedSettings } from '../settings.ts'
import { attempt, type PreparedRequest, type ReceivedResponse } from './attempt.ts'
import { bookmarkOf } from './bookmark.ts'
import { CaseworkerError, invalidCall } from './error.ts'
import { isRetryable, waitMs } from './retry-rules.ts'
import { sleep } from './sleep.ts'

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

const JSON_TYPE = 'application/json'

/** A body that is JSON text already, such as a bulk body, which is built while its items are read. */
export interface JsonText {
  jsonText: string
}

interface InputParts {
  path?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/** Calls any operation of the API: typed, retried where that is safe. Failures are a `CaseworkerError`. */
export const callOn = (settings: ResolvedSettings): Call => {
  const bookmark = bookmarkOf(settings)
  return async <Id extends OperationId>(
    id: Id,
    input: CallInput<Id>,
    options: RequestOptions = {},
  ): Promise<CallResult<Id>> => {
    const { retry } = OPERATIONS[id]
    const prepared = await prepare(settings, id, input as InputParts, options)
    Object.assign(prepared.headers, bookmark.headers())
    const startedAt = Date.now()
    const reportCall = (status: number, tries: number, requestId: string | undefined) =>
      settings.onCall({ operation: id, status, tries, ms: Date.now() - startedAt, requestId })
    for (let tries = 1; ; tries++) {
      try {
        const received: ReceivedResponse = await attempt(settings, prepared)
        bookmark.keep(received.headers)
        for (const warning of received.meta.warnings ?? []) settings.onWarning(warning, id)
        reportCall(received.status, tries, received.headers.get('x-request-id') ?? undefined)
        return received as unknown as CallResult<Id>
      } catch (error) {
        if (!(error instanceof CaseworkerError)) throw error
        error.tries = tries
        if (tries > (options.retries ?? settings.retries) || !isRetryable(error, retry)) {
          reportCall(error.status, tries, error.requestId)
          throw error
        }
        await sleep(waitMs(tries, settings.backoffMs, error.retryAfterMs, Math.random()), options.signal)
      }
    }
  }
}

/** What all tries have in common: the idempotency key and the bytes of the body. */
async function prepare(
  settings: ResolvedSettings,
  id: OperationId,
  { path, query, body }: InputParts,
  options: RequestOptions,
): Promise<PreparedRequest> {
  const { method, path: template, retry, ...kind } = OPERATIONS[id]
  const { ifMatch, ifNoneMatch, accept, idempotencyKey, signal, timeoutMs = settings.timeoutMs } = options
  const input = body === undefined ? undefined : await serializeBody(body)
  const key = retry === 'key' ? (idempotencyKey ?? crypto.randomUUID()) : undefined
  const headers = {
    ...(input === undefined ? {} : { 'content-type': input.type }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    ...(accept === undefined ? {} : { accept }),
  }
  const address = settings.baseUrl + fillPath(id, template, path ?? {}) + queryString(query ?? {})
  return {
    operation: id,
    method,
    address,
    headers,
    isStream: 'stream' in kind || (accept ?? JSON_TYPE) !== JSON_TYPE,
    signal,
    timeoutMs,
    ...(input === undefined ? {} : { body: input.body }),
  }
}

/** A form gets its boundary once: with another boundary, the API would see another request. */
async function serializeBody(body: unknown): Promise<{ type: string; body: string | ArrayBuffer }> {
  if (body instanceof FormData) {
    const form = new Response(body)
    return { type: form.headers.get('content-type') ?? '', body: await form.arrayBuffer() }
  }
  const isText = typeof body === 'object' && body !== null && 'jsonText' in body
  return { type: JSON_TYPE, body: isText ? (body as JsonText).jsonText : JSON.stringify(body) }
}

/** An empty segment, or one of dots, would change the path. */
const fillPath = (operation: string, template: string, path: Record<string, string>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(path[name] ?? '')
    if (/^\.{0,2}$/.test(value)) throw invalidCall(`${name} cannot be ${JSON.stringify(value)}`, operation)
    return encodeURIComponent(value)
  })

function queryString(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const params = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))
  return given.length === 0 ? '' : `?${params}`
}
