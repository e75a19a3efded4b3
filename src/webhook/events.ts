import * as z from 'zod'
import { declareEvents, toWholeReferent } from '../event/noun-events.ts'
import { Id, Time } from '../http/shapes.ts'

/** The fields of a `WebhookView` but for its state at that moment, which an event does not keep. */
export const WEBHOOK_FIELDS = {
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

export const WebhookSnapshot = z.object(WEBHOOK_FIELDS).meta({ id: 'DisabledWebhook' })
export type WebhookSnapshot = z.infer<typeof WebhookSnapshot>

const DisabledEventData = z
  .object({
    id: Id.describe('The id of the webhook.'),
    webhook: WebhookSnapshot.nullable().describe(
      'The webhook as it was disabled, with the reason; null in the feed of who may not read webhooks.',
    ),
  })
  .describe('The webhook that was disabled.')

/** The webhook as it was disabled: the event keeps it (`endpoint/save.ts`), by its id. */
export const webhookEvents = declareEvents({
  data: { 'webhook.disabled': DisabledEventData },
  show: (_, events) =>
    Promise.resolve(
      new Map(
        events.map(({ sequence, key, after }) => [
          sequence,
          toWholeReferent({ id: key, webhook: after as WebhookSnapshot }),
        ]),
      ),
    ),
})
