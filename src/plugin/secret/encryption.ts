import { type Cipher, getSecretLabel } from './cipher.ts'

const SECRETS = ['accessToken', 'appSecret', 'verifyToken'] as const
export type Secret = (typeof SECRETS)[number]
type Secrets = Record<Secret, string>
/** The secrets of a plugin as they are stored. */
type StoredSecrets = Secrets & { id: string }

export const decryptSecret = (cipher: Cipher, row: StoredSecrets, secret: Secret): Promise<string> =>
  cipher.decrypt(row[secret], getSecretLabel(row.id, secret))

/** Encrypts a plugin's secrets for storage: those that were sent, and the others again under the present key. */
export async function encryptSecrets(
  cipher: Cipher,
  before: StoredSecrets,
  sent: { [Name in Secret]?: string },
): Promise<Secrets> {
  const encrypted = async (name: Secret): Promise<string> => {
    const secret = sent[name]
    if (secret === undefined && (await cipher.isCurrent(before[name]))) return before[name]
    return cipher.encrypt(secret ?? (await decryptSecret(cipher, before, name)), getSecretLabel(before.id, name))
  }
  const [accessToken, appSecret, verifyToken] = await Promise.all([
    encrypted('accessToken'),
    encrypted('appSecret'),
    encrypted('verifyToken'),
  ])
  return { accessToken, appSecret, verifyToken }
}
