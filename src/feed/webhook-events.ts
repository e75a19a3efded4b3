import * as z from 'zod'
import { type EventView, toWholeReferent } from '../event/event-view.ts'
import { Id, Time } from '../http/shapes.ts'

/** The API and the event of a disabled webhook show the same fields. They stand here because `webhook/` imports `feed/`. */
const WEBHOOK_FIELDS = {
  id: Id.describe('The id of the webhook.'),
  createdAt: Time,
  updatedAt: Time,
  team: Id.describe('The id of the team.'),
  url: z.string().describe('Where events are sent to.'),
  types: z.array(z.string()).nullable().describe('The types of events that are sent; null: all.'),
  procedures: z
    .array(Id)
    .nullable()
    .describe('The ids of the procedures whose processes are told of; null: all of them.'),
  description: z.string().describe('What the webhook is for; may be empty.'),
  enabled: z.boolean().describe('Whether events are sent.'),
  order: z.enum(['any', 'strict']).describe('Whether an event waits until those before it were delivered.'),
  disabledAt: Time.nullable().describe(
    'When the service disabled the webhook, in epoch milliseconds; null if it did not.',
  ),
  disabledReason: z.string().nullable().describe('Why the service disabled the webhook; null if it did not.'),
  failingSince: Time.nullable().describe(
    'Since when no delivery succeeds, in epoch milliseconds; null: the last one did. After five days the webhook is disabled.',
  ),
  previousSecretUntil: Time.nullable().describe(
    'Until when the secret before the last rotation signs as well, in epoch milliseconds; null: only one does.',
  ),
}

/** The state at the moment of the response: an event does not keep it. */
export const WEBHOOK_STATE_FIELDS = {
  behind: z
    .int()
    .describe(
      'How many events of the team have not come to their first attempt, and how many wait to be sent again. Events of other types or procedures count until they are passed, a minute later at most.',
    ),
  oldestWaitingSince: Time.nullable().describe(
    'When the oldest of them happened, or failed first, in epoch milliseconds; null: nothing waits.',
  ),
  isSecretReadable: z
    .boolean()
    .describe(
      'False: the secret was encrypted with another `SECRETS_KEY` than the installation has, so nothing is sent. Rotate it with `"overlapSeconds": 0`.',
    ),
}

export const WebhookSnapshot = z.object(WEBHOOK_FIELDS).meta({ id: 'DisabledWebhook' })
export type WebhookSnapshot = z.infer<typeof WebhookSnapshot>

export const WebhookView = z.object({ ...WEBHOOK_FIELDS, ...WEBHOOK_STATE_FIELDS }).meta({ id: 'Webhook' })
export type WebhookView = z.infer<typeof WebhookView>

export const WEBHOOK_SNAPSHOT_EXAMPLE: WebhookSnapshot = {
  id: '01935c1e-5a00-7010-8a9b-7c8d9eafb0c1',
  createdAt: 1795276206000,
  updatedAt: 1795276206000,
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
  url: 'https://www.example.com/webhooks',
  types: ['process.created', 'process.updated'],
  procedures: null,
  description: 'Tells the warehouse',
  enabled: true,
  order: 'any',
  disabledAt: null,
  disabledReason: null,
  failingSince: null,
  previousSecretUntil: null,
}
export const WEBHOOK_EXAMPLE: WebhookView = {
  ...WEBHOOK_SNAPSHOT_EXAMPLE,
  ...{ behind: 0, oldestWaitingSince: null, isSecretReadable: true },
}

/** What the event of a webhook that the service has disabled tells. */
export const DisabledEventData = z
  .object({
    id: Id.describe('The id of the webhook.'),
    webhook: WebhookSnapshot.nullable().describe(
      'The webhook as it was disabled, with the reason; null in the feed of who may not read webhooks.',
    ),
  })
  .describe('The webhook that was disabled.')
export type DisabledEventData = z.infer<typeof DisabledEventData>

/** The webhook as it was disabled: the event keeps it (`disable` of `webhook/endpoint/save.ts`), by its id. */
export const webhookEvents: EventView<DisabledEventData> = {
  types: ['webhook.disabled'],
  show: (_, events) =>
    Promise.resolve(
      new Map(
        events.map(({ sequence, key, after }) => [
          sequence,
          toWholeReferent({ id: key, webhook: after as WebhookSnapshot }),
        ]),
      ),
    ),
}
