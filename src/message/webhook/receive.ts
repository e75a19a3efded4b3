import type { Db } from '../../db/client.ts'
import type { Statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { AppError } from '../../errors.ts'
import type { PluginRow } from '../../plugin/operations.ts'
import { saveTemplateStatuses } from '../../plugin/template/statements.ts'
import { advanceDeliveryByWebhook, type DeliveryUpdate } from '../ledger/delivery.ts'
import { consequencesOf } from '../ledger/settle.ts'
import { readWebhook, type StatusUpdate, type WebhookUpdates } from './payload.ts'

/** The provider tells times in whole seconds: what happened in one may have happened at its end. */
const SECOND_END_MS = 999

/** Writes down what a webhook says. The result does not depend on repetition or order. */
export async function receiveWebhook(db: Db, plugin: PluginRow, body: ArrayBuffer): Promise<void> {
  const updates = readWebhook(parseBody(body), Date.now())
  const { notUnderstood } = updates
  // Another status than 200 would only make the provider repeat the webhook.
  if (Object.values(notUnderstood).some(count => count > 0))
    console.error(JSON.stringify({ webhook: 'not understood', plugin: plugin.id, ...notUnderstood }))
  const effect = statementsOf(plugin, updates)
  if (effect.length > 0) await write({ db, idempotency: null }, { effect, outcome: null })
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
