import type { Db } from '../../db/client.ts'
import type { Statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { AppError } from '../../errors.ts'
import { decryptSecret } from '../../plugin/encryption.ts'
import { getPluginOfWebhook, type PluginRow } from '../../plugin/operations.ts'
import type { Cipher } from '../../plugin/secrets.ts'
import { saveTemplateStatuses } from '../../plugin/template/statements.ts'
import { advanceDeliveryByWebhook, type DeliveryUpdate } from '../ledger/delivery.ts'
import { consequencesOf } from '../ledger/settle.ts'
import { readWebhook, type StatusUpdate, type WebhookUpdates } from './payload.ts'

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i
/** The provider tells times in whole seconds: what happened in one may have happened at its end. */
const SECOND_END_MS = 999

export interface Handshake {
  mode: string | undefined
  verifyToken: string | undefined
  challenge: string | undefined
}

/** The provider's handshake: the response is its challenge, if the verify token is right. */
export async function acceptHandshake(
  db: Db,
  cipher: Cipher,
  { pluginId, ...asked }: Handshake & { pluginId: string },
): Promise<string> {
  const plugin = await getPluginOfWebhook(db, pluginId)
  const token = await decryptSecret(cipher, plugin, 'verifyToken')
  if (asked.mode !== 'subscribe' || asked.challenge === undefined || !(await areSame(asked.verifyToken ?? '', token)))
    throw new AppError('permission_denied', 'the verify token is not the one of this plugin')
  return asked.challenge
}

/** Writes down what a webhook says. The result does not depend on repetition or order. */
export async function receiveWebhook(
  db: Db,
  cipher: Cipher,
  { pluginId, signature, body }: { pluginId: string; signature: string | undefined; body: ArrayBuffer },
): Promise<void> {
  const plugin = await getPluginOfWebhook(db, pluginId)
  await refuseForged(await decryptSecret(cipher, plugin, 'appSecret'), signature, body)
  const updates = readWebhook(parseBody(body), Date.now())
  const { notUnderstood } = updates
  // Another status than 200 would only make the provider repeat the webhook.
  if (Object.values(notUnderstood).some(count => count > 0))
    console.error(JSON.stringify({ webhook: 'not understood', plugin: plugin.id, ...notUnderstood }))
  const effect = statementsOf(plugin, updates)
  if (effect.length > 0) await write({ db, idempotency: null }, { effect, outcome: null })
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

function parseBody(body: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw new AppError('malformed_json', [{ message: 'the body is not JSON', path: '/body' }])
  }
}

/** Set-based: their number does not grow with the number of statuses. */
const statementsOf = (plugin: PluginRow, { statuses, templates }: WebhookUpdates): Statement[] => [
  ...advanceDeliveryByWebhook(plugin, byMessage(statuses)),
  ...consequencesOf(
    statuses.flatMap(({ sender, event: { error, timestamp, at } }) =>
      error
        ? [
            {
              plugin,
              sender: senderOfPlugin(plugin, sender),
              template: null,
              error,
              at: (timestamp ?? at) + SECOND_END_MS,
            },
          ]
        : [],
    ),
  ),
  ...(templates.length > 0 ? [saveTemplateStatuses(plugin, templates)] : []),
]

const senderOfPlugin = ({ phoneNumbers }: PluginRow, sender: string | null): string | null =>
  phoneNumbers.some(({ id }) => id === sender) ? sender : null

function byMessage(statuses: readonly StatusUpdate[]): DeliveryUpdate[] {
  const grouped = Map.groupBy(statuses, ({ ourId, externalId }) => ourId ?? externalId)
  return [...grouped.values()].flatMap(each => {
    const [first] = each
    return first ? [{ id: first.ourId, externalId: first.externalId, events: each.map(({ event }) => event) }] : []
  })
}
