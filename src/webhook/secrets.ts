import { type Cipher, getSecretLabel } from '../plugin/secret/cipher.ts'
import type { webhook } from './table.ts'

type StoredWebhookSecrets = Pick<
  typeof webhook.$inferSelect,
  'id' | 'secret' | 'previousSecret' | 'previousSecretUntil'
>

export const encryptSigningSecret = (cipher: Cipher, row: { id: string }, secret: string): Promise<string> =>
  cipher.encrypt(secret, getSecretLabel(row.id, 'secret'))

/** Encrypts the previous secret, for the columns that have it while it signs. */
export async function encryptPreviousSecret(
  cipher: Cipher,
  row: { id: string },
  { secret, until }: { secret: string; until: number },
): Promise<Pick<StoredWebhookSecrets, 'previousSecret' | 'previousSecretUntil'>> {
  return {
    previousSecret: await cipher.encrypt(secret, getSecretLabel(row.id, 'previousSecret')),
    previousSecretUntil: until,
  }
}

/** Decrypts the secrets that sign an attempt: the present one, and the previous one while a rotation lasts. */
export async function decryptSigningSecrets(
  cipher: Cipher,
  row: StoredWebhookSecrets,
  now: number,
): Promise<[present: string] | [present: string, previous: string]> {
  const present = await cipher.decrypt(row.secret, getSecretLabel(row.id, 'secret'))
  if (row.previousSecret === null || (row.previousSecretUntil ?? 0) <= now) return [present]
  return [present, await cipher.decrypt(row.previousSecret, getSecretLabel(row.id, 'previousSecret'))]
}

/** Encrypts the stored secrets with the present key of the installation. */
export async function withCurrentKey<Row extends StoredWebhookSecrets>(
  cipher: Cipher,
  row: Row,
  now: number,
): Promise<Row> {
  if (await cipher.isCurrent(row.secret)) return row
  const [secret, previous] = await decryptSigningSecrets(cipher, row, now)
  const before = { previousSecret: null, previousSecretUntil: null }
  return {
    ...row,
    secret: await encryptSigningSecret(cipher, row, secret),
    ...(previous === undefined
      ? before
      : await encryptPreviousSecret(cipher, row, { secret: previous, until: row.previousSecretUntil ?? now })),
  }
}
