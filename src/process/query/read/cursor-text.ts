import { fromBase64url, toBase64url } from '../../../base64.ts'

/** Encodes JSON as a text that needs no escaping in an address. */
export function encodeCursor(value: unknown): string {
  return toBase64url(new TextEncoder().encode(JSON.stringify(value)))
}

/** Decodes a text of `encodeCursor`. Throws on any other text. */
export function decodeCursor(cursor: string): unknown {
  return JSON.parse(new TextDecoder().decode(fromBase64url(cursor)))
}
