import { attempt, type Prepared, type Received } from './attempt.ts'
import { CaseworkerError } from './error.ts'
import { OPERATIONS, type Operations } from './generated/operations.ts'
import { isWorthRepeating, waitMs } from './retry-rules.ts'
import type { Line } from './settings.ts'
import { sleep } from './sleep.ts'

export type OperationId = keyof Operations

/** What any call may be told besides what it is about. */
export interface CallOptions {
  signal?: AbortSignal | undefined
  /** One of your own, so that even a second call of yours takes no second effect. Where it is left out, one is made. */
  idempotencyKey?: string | undefined
  /** How long one try may take until its answer begins. */
  timeoutMs?: number | undefined
  retries?: number | undefined
}

/** Headers that only some operations know. */
export interface Headed extends CallOptions {
  ifMatch?: string | undefined
  ifNoneMatch?: string | undefined
  accept?: string | undefined
}

type Part<Id extends OperationId, Name extends string> =
  Operations[Id] extends Record<Name, infer Value> ? Value : never

/** The path, query and body of an operation: those it has, and the query only if wanted. */
export type Sent<Id extends OperationId> = Pick<Operations[Id], keyof Operations[Id] & ('path' | 'body')> & {
  query?: Part<Id, 'query'> | undefined
}

export interface Answered<Id extends OperationId> {
  status: number
  headers: Headers
  data: Part<Id, 'data'>
  meta: Part<Id, 'meta'>
}

export type Call = <Id extends OperationId>(id: Id, sent: Sent<Id>, options?: Headed) => Promise<Answered<Id>>

/** A body that is JSON text already: bulk bodies are put together while their items are read. */
export interface JsonText {
  jsonText: string
}

interface Parts {
  path?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/** The one way to every operation of the API: typed, repeated where that is safe, and failing only with a `CaseworkerError`. */
export const callOn =
  (line: Line): Call =>
  async <Id extends OperationId>(id: Id, sent: Sent<Id>, options: Headed = {}): Promise<Answered<Id>> => {
    const { repeat } = OPERATIONS[id]
    const prepared = await prepare(line, id, sent as Parts, options)
    const began = Date.now()
    const note = (status: number, tries: number, requestId: string | undefined) =>
      line.onCall({ operation: id, status, tries, ms: Date.now() - began, requestId })
    for (let tries = 1; ; tries++) {
      try {
        const received: Received = await attempt(line, prepared)
        note(received.status, tries, received.headers.get('x-request-id') ?? undefined)
        return received as Answered<Id>
      } catch (error) {
        if (!(error instanceof CaseworkerError)) throw error
        error.tries = tries
        if (tries > (options.retries ?? line.retries) || !isWorthRepeating(error, repeat)) {
          note(error.status, tries, error.requestId)
          throw error
        }
        await sleep(waitMs(tries, line.backoffMs, error.retryAfterMs, Math.random()), options.signal)
      }
    }
  }

/** Everything that stays the same over all tries: the idempotency key, and the bytes of the body. */
async function prepare(line: Line, id: OperationId, { path, query, body }: Parts, options: Headed): Promise<Prepared> {
  const { method, path: template, repeat, ...kind } = OPERATIONS[id]
  const { ifMatch, ifNoneMatch, accept, idempotencyKey, signal, timeoutMs = line.timeoutMs } = options
  const sent = body === undefined ? undefined : await serialised(body)
  const key = repeat === 'key' ? (idempotencyKey ?? crypto.randomUUID()) : undefined
  const headers = {
    ...(sent === undefined ? {} : { 'content-type': sent.type }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    ...(accept === undefined ? {} : { accept }),
  }
  const address = line.baseUrl + filled(template, path ?? {}) + search(query ?? {})
  return {
    operation: id,
    method,
    address,
    headers,
    isStream: 'stream' in kind,
    signal,
    timeoutMs,
    ...(sent === undefined ? {} : { body: sent.body }),
  }
}

/** A form is given its boundary once: with another one it would be another request to the API. */
async function serialised(body: unknown): Promise<{ type: string; body: string | ArrayBuffer }> {
  if (body instanceof FormData) {
    const form = new Response(body)
    return { type: form.headers.get('content-type') ?? '', body: await form.arrayBuffer() }
  }
  const isText = typeof body === 'object' && body !== null && 'jsonText' in body
  return { type: 'application/json', body: isText ? (body as JsonText).jsonText : JSON.stringify(body) }
}

/** An empty segment, or one of dots, would silently lead to another address. */
const filled = (template: string, path: Record<string, string>): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(path[name] ?? '')
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} can not be ${JSON.stringify(value)}`)
    return encodeURIComponent(value)
  })

function search(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const params = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))
  return given.length === 0 ? '' : `?${params}`
}
