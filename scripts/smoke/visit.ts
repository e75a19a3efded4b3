import { setTimeout as sleep } from 'node:timers/promises'
/** A response, read to its end. */
export interface Reply {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a check says what it expects of it
  data: any
  // biome-ignore lint/suspicious/noExplicitAny: the same
  meta: any
}

interface CallParts {
  body?: unknown
  /** Sent as it is, instead of `body`. */
  raw?: string | FormData | ReadableStream<Uint8Array>
  headers?: Record<string, string>
  /** The token of the call; null sends none. */
  token?: string | null
}

/** One check of an installation: its calls are counted, and its objects are removed when it has ended. */
export interface Visit {
  /** Unique, so that nothing of the team is met. */
  name: string
  slowMs: number
  emulated: boolean
  call: (method: string, path: string, parts?: CallParts) => Promise<Reply>
  cleanUp: (remove: () => Promise<unknown>) => void
}

export interface Check {
  name: string
  /** Mostly waits: it runs beside the others. */
  waits?: boolean
  run: (visit: Visit) => Promise<void>
}

/** Thrown by a check that cannot be made here. */
export class SkippedCheck extends Error {}

export interface Place {
  url: string
  token: string
  slowMs: number
  emulated: boolean
  /** Sent with every call. */
  headers?: Record<string, string>
}

export interface Outcome {
  check: string
  result: 'ok' | 'failed' | 'skipped'
  reason?: string
  ms: number
  calls: number
  /** The round trips to the database, by `server-timing`. */
  trips: number
}

const REPLY_MS_MAX = 60_000
const POLL_MS = 1_000

export async function perform(place: Place, { name: check, run }: Check): Promise<Outcome> {
  const counted = { calls: 0, trips: 0 }
  const removals: (() => Promise<unknown>)[] = []
  const call: Visit['call'] = async (method, path, { body, raw, headers = {}, token = place.token } = {}) => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(new URL(path, place.url), {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(REPLY_MS_MAX + place.slowMs),
      headers: {
        ...place.headers,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(sent === undefined || sent instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent, duplex: 'half' }),
    } as RequestInit)
    const text = await response.text()
    counted.calls += 1
    counted.trips += Number(/trips=(\d+)/.exec(response.headers.get('server-timing') ?? '')?.[1] ?? 0)
    const isEnvelope = /^\{"_data"/.test(text)
    const { _data: data, _meta: meta } = isEnvelope ? JSON.parse(text) : { _data: undefined, _meta: undefined }
    return { status: response.status, headers: response.headers, text, data, meta }
  }
  const name = `smoke-${crypto.randomUUID().slice(0, 13)}`
  const { slowMs, emulated } = place
  const startedAt = performance.now()
  const failures: unknown[] = []
  await run({ name, slowMs, emulated, call, cleanUp: remove => removals.push(remove) }).catch(error =>
    failures.push(error),
  )
  const ms = Math.round(performance.now() - startedAt)
  const measured = { check, ms, ...counted }
  for (const remove of removals.reverse()) await remove().catch(error => failures.push(error))
  if (failures.length === 0) return { ...measured, result: 'ok' }
  const reason = failures.map(toReason).join('; ')
  return { ...measured, result: failures.every(error => error instanceof SkippedCheck) ? 'skipped' : 'failed', reason }
}

/** The error of `fetch` says little; its cause says more. */
function toReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${toReason(error.cause)}`
}

/** The reply, if it has this status. */
export async function expectStatus(reply: Promise<Reply>, ...statuses: number[]): Promise<Reply> {
  const found = await reply
  const { status, text, headers } = found
  if (!statuses.includes(status)) {
    const said = `${text.slice(0, 300)} (request ${headers.get('x-request-id')})`
    throw new Error(`status ${status} instead of ${statuses.join(' or ')}: ${said}`)
  }
  return found
}

export function must(holds: boolean, about: string): void {
  if (!holds) throw new Error(about)
}

/** Asks again until it is so. */
export async function until(isSo: () => Promise<boolean>, msMax: number, about: string): Promise<void> {
  const end = Date.now() + msMax
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`${about}, after ${msMax / 1000} s`)
    await sleep(POLL_MS)
  }
}
