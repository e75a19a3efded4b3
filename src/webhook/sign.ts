const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32
const HMAC = { name: 'HMAC', hash: 'SHA-256' }

const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
const decodeBytes = (base64: string) => Uint8Array.from(atob(base64), char => char.charCodeAt(0))

/** As Standard Webhooks writes a symmetric key: its bytes in base64 after a prefix. */
export const newWebhookSecret = (): string =>
  SECRET_PREFIX + base64Of(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))

/** What is signed of one attempt. */
interface SignedContent {
  /** The same in each attempt of an event. It has no dot, which separates the parts of what is signed. */
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
  const bytes = decodeBytes(secret.slice(SECRET_PREFIX.length))
  const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign'])
  return base64Of(new Uint8Array(await crypto.subtle.sign('HMAC', key, content)))
}
