import { fromBase64, toBase64 } from '../../base64.ts'
import { AppError } from '../../errors.ts'
import { getKeyId, KEY_BYTES } from './key-id.ts'

const IV_BYTES = 12
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Encrypts secrets for storage as `<key id>.<iv>.<body>`, and decrypts them. Throws if the installation has no key: then
 * nothing is stored. `label` names the plugin and the column; with another label a secret can't be decrypted.
 */
export interface Cipher {
  encrypt: (secret: string, label: string) => Promise<string>
  decrypt: (stored: string, label: string) => Promise<string>
  /** Tells whether a secret was encrypted with the present key, and not with the previous one. */
  isCurrent: (stored: string) => Promise<boolean>
  /** Returns the ids of the keys that are set. */
  keyIds: () => Promise<string[]>
}

/** The error of a secret that was encrypted with a key which is not set: of another installation, or older than two changes. */
class UnreadableSecret extends Error {
  constructor(keyId: string) {
    super(`a secret was encrypted with the key ${keyId}, which is neither SECRETS_KEY nor SECRETS_KEY_PREVIOUS`)
  }
}

/** Refuses a request that needs a secret which can't be read with a 409, which says how to repair it. */
export const refuseUnreadable =
  (hint: string) =>
  (error: unknown): never => {
    if (!(error instanceof UnreadableSecret)) throw error
    const operator = 'or the operator sets SECRETS_KEY_PREVIOUS to the key of the installation that it comes from'
    throw new AppError('conflict', [{ message: error.message, hint: `${hint}; ${operator}` }], error)
  }

/** Builds the label of a plugin's or a webhook's secret. */
export const getSecretLabel = (id: string, column: string): string => `${id}/${column}`

/** Returns the id of the key with which a secret was encrypted. */
export const readKeyId = (stored: string): string => stored.split('.')[0] ?? ''

/** Tells whether all secrets can be read. None can if no key is set. */
export async function canRead(cipher: Cipher, stored: readonly (string | null)[]): Promise<boolean> {
  const known = await cipher.keyIds().catch((): string[] => [])
  return stored.every(each => each === null || each === '' || known.includes(readKeyId(each)))
}

interface SecretsKey {
  id: string
  key: CryptoKey
}

type Keys = Pick<Env, 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS'>

/** Makes the cipher: AES-GCM under the installation's key. Secrets under the previous key can still be decrypted. */
export function getCipher({ SECRETS_KEY, SECRETS_KEY_PREVIOUS }: Keys): Cipher {
  const current = once(() => importKey('SECRETS_KEY', SECRETS_KEY ?? ''))
  const previous = once(async () =>
    SECRETS_KEY_PREVIOUS ? await importKey('SECRETS_KEY_PREVIOUS', SECRETS_KEY_PREVIOUS) : undefined,
  )
  const getKey = async (id: string): Promise<CryptoKey> => {
    const found = [await current(), await previous()].find(each => each?.id === id)
    if (found) return found.key
    throw new UnreadableSecret(id)
  }
  return {
    async encrypt(secret, label) {
      const { id, key } = await current()
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const body = await crypto.subtle.encrypt(algorithm(iv, label), key, new TextEncoder().encode(secret))
      return `${id}.${toBase64(iv)}.${toBase64(new Uint8Array(body))}`
    },
    async decrypt(stored, label) {
      const [id = '', iv = '', body = ''] = stored.split('.')
      const key = await getKey(id)
      return new TextDecoder().decode(
        await crypto.subtle.decrypt(algorithm(fromBase64(iv), label), key, fromBase64(body)),
      )
    },
    keyIds: async () => [await current(), await previous()].flatMap(each => each?.id ?? []),
    isCurrent: async stored => stored.startsWith(`${(await current()).id}.`),
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

const algorithm = (iv: Uint8Array<ArrayBuffer>, label: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(label),
})

async function importKey(name: string, base64: string): Promise<SecretsKey> {
  const bytes = BASE64.test(base64) ? fromBase64(base64) : new Uint8Array()
  if (bytes.length !== KEY_BYTES)
    throw new Error(
      `the secret ${name} must be ${KEY_BYTES} bytes in base64; without it no plugin and no webhook can be used`,
    )
  const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
  return { id: await getKeyId(bytes), key }
}
