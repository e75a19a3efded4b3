import type { JWTVerifyGetKey } from 'jose'
import { createCache } from '../cache.ts'

/** The memory of a provider's keys, roughly. */
const KEYS_BYTES = 20_000
const KEYS_BYTES_MAX = 500_000
const KEYS_TIMEOUT_MS = 5_000

/** The keys at an address, which an isolate fetches once in ten minutes, and again when it meets an unknown one. */
const keysByAddress = createCache<JWTVerifyGetKey>(KEYS_BYTES_MAX, () => KEYS_BYTES)

type FetchKeys = (url: string, init: RequestInit) => Promise<Response>

export async function getProviderKeys(address: string, fetchKeys: FetchKeys): Promise<JWTVerifyGetKey> {
  // A dynamic import brings its whole module into the Worker: the whole package would be forty kilobytes more that never run.
  const { createRemoteJWKSet, customFetch } = await import('jose/jwks/remote')
  const cached = keysByAddress.get(address)
  if (cached) return cached
  const keys = createRemoteJWKSet(new URL(address), { timeoutDuration: KEYS_TIMEOUT_MS, [customFetch]: fetchKeys })
  keysByAddress.set(address, keys)
  return keys
}

/** Tells whether jose found a fault of a token, and not of the way to the keys. */
export const isTokenFault = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^ERR_(JWT_|JWS_|JWKS_NO_MATCHING|JOSE_ALG|JOSE_NOT)/.test(String(error.code))
