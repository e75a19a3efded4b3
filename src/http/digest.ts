export const hexOf = (hash: ArrayBuffer): string =>
  Array.from(new Uint8Array(hash), byte => byte.toString(16).padStart(2, '0')).join('')

/** The SHA-256 of a text or of bytes. */
export const digestOf = async (data: ArrayBuffer | string): Promise<string> =>
  hexOf(await crypto.subtle.digest('SHA-256', typeof data === 'string' ? new TextEncoder().encode(data) : data))
