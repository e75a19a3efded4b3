import type { EventAuthor, TeamEvent } from './generated/shapes.ts'

/**
 * The event that `client.webhooks.test` and `POST …/test` send. Nothing has happened, so it has no number and is not in
 * the feed.
 */
export interface WebhookTestEvent {
  id: string
  sequence: null
  type: 'webhook.test'
  timestamp: string
  team: string
  data: {
    /** The id of the webhook. */
    webhook: string
  }
  by: EventAuthor
}

/** The body of a webhook: an event as in the feed, or a test. `type` says which `data` it has. */
export type WebhookEvent = TeamEvent | WebhookTestEvent

type WebhookErrorCode =
  | 'invalid_secret'
  | 'parsed_body'
  | 'missing_header'
  | 'invalid_header'
  | 'wrong_signature'
  | 'too_old'
  | 'too_new'
  | 'invalid_body'

/** Says why a request is not taken for a webhook. Respond with 400: it is sent again. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: WebhookErrorCode

  constructor(code: WebhookErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * The received request. The body must be the original text or bytes: JSON that was parsed and written again has another
 * signature.
 */
export interface ReceivedWebhook {
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  body: string | ArrayBuffer | Uint8Array
}

export interface VerifyOptions {
  /** The maximum age of the attempt, and difference of the clocks; 300 by default. */
  toleranceSeconds?: number | undefined
}

const PREFIX = 'whsec_'
const TOLERANCE_SECONDS = 300
const HMAC = { name: 'HMAC', hash: 'SHA-256' }
/** Each signature costs a computation, before anything is proven. */
const SIGNATURES_MAX = 10

/**
 * Resolves to the event if the request was signed with the secret (or with one of them, during a rotation) and is
 * recent. Otherwise it throws a `WebhookError`, whose message says what is wrong. A `Request` is read: its body is
 * used.
 */
export async function verifyWebhook<Event = WebhookEvent>(
  received: Request | ReceivedWebhook,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<Event> {
  const keys = (typeof secrets === 'string' ? [secrets] : secrets).map(parseSecret)
  if (keys.length === 0) throw new WebhookError('invalid_secret', 'there is no secret to verify with')
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name =>
    getHeader(received.headers, name),
  ) as [string, string, string]
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookError('invalid_header', `the header webhook-timestamp must be epoch seconds, not ${timestamp}`)
  const body = await readBody(received)
  const content = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), body)
  if (!(await isSigned(content, signatures, keys)))
    throw new WebhookError('wrong_signature', 'no signature of the request is that of its body under the secret')
  const age = Math.floor(Date.now() / 1000) - Number(timestamp)
  if (age > toleranceSeconds)
    throw new WebhookError('too_old', `the request was sent ${age} seconds ago; ${toleranceSeconds} are allowed`)
  if (-age > toleranceSeconds)
    throw new WebhookError('too_new', `the request is dated ${-age} seconds ahead: is the clock of this machine right?`)
  return parseEvent(body)
}

function parseSecret(secret: string): Uint8Array<ArrayBuffer> {
  try {
    const key = decodeBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret)
    if (key.length > 0) return key
  } catch {
    // Neither base64 nor a text at all.
  }
  throw new WebhookError('invalid_secret', `the secret of a webhook begins with ${PREFIX}, and has base64 after it`)
}

const decodeBase64 = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), char => char.charCodeAt(0)) as Uint8Array<ArrayBuffer>

function getHeader(headers: ReceivedWebhook['headers'], name: string): string {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  const value = typeof found === 'object' ? found?.[0] : found
  if (value) return value
  throw new WebhookError('missing_header', `the header ${name} is missing: this is no webhook, or a proxy dropped it`)
}

async function readBody(received: Request | ReceivedWebhook): Promise<Uint8Array> {
  if (received instanceof Request) {
    if (received.bodyUsed) throw parsedBodyError()
    return new Uint8Array(await received.arrayBuffer())
  }
  const { body } = received
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  throw parsedBodyError()
}

const parsedBodyError = () =>
  new WebhookError('parsed_body', 'the body was read before: verify its text or bytes as they came, and parse it after')

function concatenate(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

/** The time that it takes does not depend on how much of a signature is right: `verify` sees to that. */
async function isSigned(
  content: Uint8Array<ArrayBuffer>,
  signatures: string,
  keys: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const sent = signatures.split(' ', SIGNATURES_MAX).flatMap(parseSignature)
  for (const key of keys) {
    const imported = await crypto.subtle.importKey('raw', key, HMAC, false, ['verify'])
    for (const signature of sent) if (await crypto.subtle.verify('HMAC', imported, signature, content)) return true
  }
  return false
}

/** Signatures of other versions are left alone. */
function parseSignature(versioned: string): Uint8Array<ArrayBuffer>[] {
  const [version, signature = ''] = versioned.split(',')
  if (version !== 'v1') return []
  try {
    return [decodeBase64(signature)]
  } catch {
    return []
  }
}

function parseEvent<Event>(body: Uint8Array): Event {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body))
    if (typeof event === 'object' && event !== null && 'type' in event) return event as Event
  } catch {
    // The signature is right, and the body is not JSON: another sender's.
  }
  throw new WebhookError('invalid_body', 'the body is signed, but it is no event')
}
