import type { Db } from '../../db/client.ts'
import type { TextStatement } from '../../db/text-statement.ts'
import { AppError } from '../../errors.ts'
import { decryptSecret, getPluginOfWebhook, type PluginRow } from '../../plugin/operations.ts'
import type { Cipher } from '../../plugin/secrets.ts'
import { stopStatement } from '../../plugin/stop.ts'
import { saveTemplateStatus } from '../../plugin/template/statements.ts'
import { stopsPlugin } from '../send/provider-result.ts'
import { stopMessage } from '../send/send.ts'
import { advanceDeliveryByWebhook } from '../statements.ts'
import { updatesOf } from './payload.ts'

const STATEMENTS_PER_BATCH = 50
const SIGNATURE = /^sha256=([0-9a-f]{64})$/i
/** The provider tells times in whole seconds: what happened in one may have happened at its end. */
const SECOND_END_MS = 999

export interface Handshake {
  mode: string | undefined
  verifyToken: string | undefined
  challenge: string | undefined
}

/** The provider's question whether this address is ours: answered with its challenge, to whoever knows the token. */
export async function acceptHandshake(db: Db, cipher: Cipher, pluginId: string, asked: Handshake): Promise<string> {
  const plugin = await getPluginOfWebhook(db, pluginId)
  const token = await decryptSecret(cipher, plugin, 'verifyToken')
  if (asked.mode !== 'subscribe' || asked.challenge === undefined || !(await areSame(asked.verifyToken ?? '', token)))
    throw new AppError('permission_denied', 'the verify token is not the one of this plugin')
  return asked.challenge
}

/** Takes in what the provider tells. Told twice, or in any order, it comes to the same. */
export async function takeWebhook(
  db: Db,
  cipher: Cipher,
  pluginId: string,
  signature: string | undefined,
  body: ArrayBuffer,
): Promise<void> {
  const plugin = await getPluginOfWebhook(db, pluginId)
  await refuseForged(await decryptSecret(cipher, plugin, 'appSecret'), signature, body)
  const statements = changesOf(plugin, parsed(body))
  for (let first = 0; first < statements.length; first += STATEMENTS_PER_BATCH)
    await db.batch(statements.slice(first, first + STATEMENTS_PER_BATCH))
}

/** Compared by their digests, so that the time it takes tells nothing of either. */
async function areSame(one: string, other: string): Promise<boolean> {
  const digest = (text: string) => crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return crypto.subtle.timingSafeEqual(await digest(one), await digest(other))
}

async function refuseForged(appSecret: string, signature: string | undefined, body: ArrayBuffer): Promise<void> {
  const hex = SIGNATURE.exec(signature ?? '')?.[1]
  const bytes = Uint8Array.from(hex?.match(/../g) ?? [], byte => Number.parseInt(byte, 16))
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(appSecret), algorithm, false, ['verify'])
  if (await crypto.subtle.verify('HMAC', key, bytes, body)) return
  throw new AppError('unauthenticated', [
    {
      message: "the signature is missing or was not made with this plugin's app secret",
      path: '/header/x-hub-signature-256',
    },
  ])
}

function parsed(body: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw new AppError('malformed_json', [{ message: 'the body is not JSON', path: '/body' }])
  }
}

function changesOf(plugin: PluginRow, json: unknown): TextStatement[] {
  const { statuses, templates } = updatesOf(json, Date.now())
  return [
    ...statuses.map(({ ourId, event }) => advanceDeliveryByWebhook(plugin, ourId, event)),
    ...statuses.flatMap(({ event: { error, timestamp, at } }) =>
      stopsPlugin(error)
        ? [
            stopStatement(plugin, {
              code: error.code,
              message: stopMessage(error),
              at: (timestamp ?? at) + SECOND_END_MS,
            }),
          ]
        : [],
    ),
    ...templates.map(news => saveTemplateStatus(plugin, news)),
  ]
}
