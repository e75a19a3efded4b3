export const KEY_BYTES = 32
const KEY_ID_HEX_DIGITS = 8

/** Derives the id of a key: a digest of it, so it needs no setting, and an error can name it. */
export async function getKeyId(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  const hex = Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
  return `k${hex.slice(0, KEY_ID_HEX_DIGITS)}`
}
