/** Encodes JSON as a text that needs no escaping in an address. */
export function encodeCursor(value: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Decodes a text of `encodeCursor`. Throws on any other text. */
export function decodeCursor(cursor: string): unknown {
  const bytes = Uint8Array.from(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')), char => char.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}
