const KEY_BYTES = 32
const IV_BYTES = 12
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** What turns secrets into what may be stored, and back. Throws where the installation has no key: nothing is stored then. */
export interface Cipher {
  encrypt: (secret: string, label: string) => Promise<string>
  decrypt: (sealed: string, label: string) => Promise<string>
}

export const cipherOf = ({ SECRETS_KEY }: Pick<Env, 'SECRETS_KEY'>): Cipher => cipherWith(SECRETS_KEY)

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), char => char.charCodeAt(0))
const base64Of = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

/** AES-GCM under the installation's key. `label` says whose secret it is: sealed for one place, it opens nowhere else. */
export function cipherWith(secretsKey: string | undefined): Cipher {
  const key = () => importKey(secretsKey)
  return {
    async encrypt(secret, label) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const plain = new TextEncoder().encode(secret)
      const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm(iv, label), await key(), plain))
      return `${base64Of(iv)}.${base64Of(sealed)}`
    },
    async decrypt(sealed, label) {
      const [iv = '', body = ''] = sealed.split('.')
      const plain = await crypto.subtle.decrypt(algorithm(bytesOf(iv), label), await key(), bytesOf(body))
      return new TextDecoder().decode(plain)
    },
  }
}

const algorithm = (iv: Uint8Array, label: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(label),
})

function importKey(base64 = ''): Promise<CryptoKey> {
  const bytes = BASE64.test(base64) ? bytesOf(base64) : new Uint8Array()
  if (bytes.length !== KEY_BYTES)
    throw new Error(`the secret SECRETS_KEY must be ${KEY_BYTES} bytes in base64; without it no plugin can be used`)
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
}
