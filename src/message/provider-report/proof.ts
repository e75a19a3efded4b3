import type { Db } from '../../db/client.ts'
import { areSameSecrets } from '../../http/digest.ts'
import type { PluginRow } from '../../plugin/operations.ts'
import { rereadReportingPlugin } from '../../plugin/reporting-plugin.ts'
import type { Cipher } from '../../plugin/secret/cipher.ts'
import { decryptSecret } from '../../plugin/secret/encryption.ts'

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i

/** The provider's handshake proves itself by the verify token. */
export async function isVerifyToken(db: Db, cipher: Cipher, plugin: PluginRow, sent: string): Promise<boolean> {
  const isRight = async (row: PluginRow) => areSameSecrets(sent, await decryptSecret(cipher, row, 'verifyToken'))
  return (await provenBy(db, plugin, isRight)) !== undefined
}

/** The plugin whose app secret signed the body; undefined where it was not this one's. */
export function verifySignature(
  db: Db,
  cipher: Cipher,
  plugin: PluginRow,
  signature: string | undefined,
  body: ArrayBuffer,
): Promise<PluginRow | undefined> {
  const hex = SIGNATURE.exec(signature ?? '')?.[1]
  if (hex === undefined) return Promise.resolve(undefined)
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], byte => Number.parseInt(byte, 16))
  return provenBy(db, plugin, async row => isSigned(await decryptSecret(cipher, row, 'appSecret'), bytes, body))
}

/** The plugin may have been remembered from before its secret was replaced. */
async function provenBy(
  db: Db,
  plugin: PluginRow,
  isProof: (row: PluginRow) => Promise<boolean>,
): Promise<PluginRow | undefined> {
  if (await isProof(plugin)) return plugin
  const present = await rereadReportingPlugin(db, plugin)
  return present && (await isProof(present)) ? present : undefined
}

async function isSigned(appSecret: string, signature: Uint8Array<ArrayBuffer>, body: ArrayBuffer): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(appSecret), algorithm, false, ['verify'])
  return crypto.subtle.verify('HMAC', key, signature, body)
}
