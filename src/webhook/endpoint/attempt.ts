import { readRetryAfter } from '../delivery-rules.ts'
import { signatureHeaders } from '../sign.ts'

/** The kept characters of a response's body: more for a failure, whose body says why. */
const RESPONSE_CHARACTERS_MAX = 500
const SUCCESS_CHARACTERS_MAX = 100
/** The time for the body of a response, whose status is known already. */
const BODY_MS_MAX = 1_000
const ERROR_CHARACTERS_MAX = 200

export interface Receiver {
  url: string
  /** The reason why nothing may be sent to the address; null if it may. */
  refused: string | null
  secrets: readonly string[]
  timeoutMs: number
}

interface SignedEvent {
  id: string
  /** The number of the event; null for a test. */
  sequence: number | null
  body: string
}

export interface ReceiverResponse {
  at: number
  ms: number
  status: number | null
  error?: string
  response?: string
  retryAfterMs: number | null
}

/** Sends one event once. It never rejects: the result says what went wrong. */
export async function attemptDelivery(
  { url, refused, secrets, timeoutMs }: Receiver,
  { id, sequence, body }: SignedEvent,
): Promise<ReceiverResponse> {
  const at = Date.now()
  if (refused !== null) return { at, ms: 0, status: null, error: refused, retryAfterMs: null }
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), timeoutMs)
  try {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'caseworker-webhooks/1',
      ...(sequence === null ? {} : { 'webhook-sequence': String(sequence) }),
      ...(await signatureHeaders(secrets, { id, at, body })),
    }
    const answered = await unlessAborted(
      abort.signal,
      fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: abort.signal }),
    )
    const { status } = answered
    const ms = Date.now() - at
    const response = await readStart(answered, status < 300 ? SUCCESS_CHARACTERS_MAX : RESPONSE_CHARACTERS_MAX)
    const retryAfterMs = status < 400 ? null : readRetryAfter(answered.headers.get('retry-after'), Date.now())
    return { at, ms, status, ...(response === '' ? {} : { response }), retryAfterMs }
  } catch (error) {
    return {
      at,
      ms: Date.now() - at,
      status: null,
      error: getReason(error, abort.signal, timeoutMs),
      retryAfterMs: null,
    }
  } finally {
    clearTimeout(timer)
    // Aborting frees what is left of the request and the response.
    abort.abort()
  }
}

/** Rejects at the signal, also where `fetch` does not hear it. */
function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(new Error('aborted')))
  aborted.catch(() => undefined)
  return Promise.race([promise, aborted])
}

function getReason(error: unknown, { aborted }: AbortSignal, timeoutMs: number): string {
  if (aborted) return `no response within ${timeoutMs} ms`
  return (error instanceof Error ? error.message : String(error)).slice(0, ERROR_CHARACTERS_MAX)
}

/** Reads the first characters of a body. One that breaks off, or does not come, changes nothing about the status. */
async function readStart({ body }: Response, charactersMax: number): Promise<string> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const late = Promise.withResolvers<{ done: true; value?: undefined }>()
  const timer = setTimeout(() => late.resolve({ done: true }), BODY_MS_MAX)
  let text = ''
  try {
    while (text.length < charactersMax) {
      const { done, value } = await Promise.race([reader.read(), late.promise])
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
  } catch {
    // The characters that came before are kept.
  } finally {
    clearTimeout(timer)
    reader.cancel().catch(() => undefined)
  }
  return text.slice(0, charactersMax)
}
