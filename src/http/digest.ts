export const toHex = (hash: ArrayBuffer): string =>
  Array.from(new Uint8Array(hash), byte => byte.toString(16).padStart(2, '0')).join('')

const sha256 = (data: ArrayBuffer | string): Promise<ArrayBuffer> =>
  crypto.subtle.digest('SHA-256', typeof data === 'string' ? new TextEncoder().encode(data) : data)

/** Computes the SHA-256 of a text or of bytes. */
export const computeDigest = async (data: ArrayBuffer | string): Promise<string> => toHex(await sha256(data))

/** Compares secrets by their digests, so that the time it takes tells nothing of either. */
export const areSameSecrets = async (one: string, other: string): Promise<boolean> =>
  crypto.subtle.timingSafeEqual(await sha256(one), await sha256(other))
