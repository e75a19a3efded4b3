import { fromBase64, toBase64 } from '../base64.ts'

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32
const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/** A symmetric key as Standard Webhooks writes it: its bytes in base64 after a prefix. */
export const newWebhookSecret = (): string =>
  SECRET_PREFIX + toBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))

/** The signed parts of one attempt. */
interface SignedContent {
  /** The id is the same in each attempt of an event. It has no dot, because dots separate the signed parts. */
  id: string
  /** The time of the attempt in milliseconds: receivers refuse an old one. */
  at: number
  body: string
}

/**
 * The headers of one attempt, by Standard Webhooks 1.0.0: `id.seconds.body` under each secret, in the order of the
 * secrets. There are two while a rotation lasts; a receiver accepts what either has signed.
 */
export async function signatureHeaders(
  secrets: readonly string[],
  { id, at, body }: SignedContent,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000))
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signatures = await Promise.all(secrets.map(secret => sign(secret, content)))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map(signature => `v1,${signature}`).join(' '),
  }
}

async function sign(secret: string, content: BufferSource): Promise<string> {
  const bytes = fromBase64(secret.slice(SECRET_PREFIX.length))
  const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign'])
  return toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, content)))
}
