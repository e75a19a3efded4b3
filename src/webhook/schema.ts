import * as z from 'zod'
import { EVENT_TYPES } from '../event-types.ts'
import { Text, Time } from '../http/shapes.ts'
import { ADDRESS_LENGTH_MAX } from './address-rules.ts'
import { WEBHOOK_FIELDS } from './events.ts'

const DESCRIPTION_CHARACTERS_MAX = 1_000
const PROCEDURES_NAMED_MAX = 100
const OVERLAP_SECONDS = 24 * 60 * 60

const Url = z
  .string()
  .min(1)
  .max(ADDRESS_LENGTH_MAX)
  .meta({
    description: 'Where events are sent to: https, a public host, one of the ports that the installation allows.',
    examples: ['https://www.example.com/webhooks'],
  })
const EventTypeName = z.enum(EVENT_TYPES)
const Types = z
  .array(EventTypeName)
  .min(1)
  .max(EVENT_TYPES.length)
  .nullable()
  .meta({
    description: 'The types of events that are sent; null: all.',
    examples: [['process.created', 'process.updated']],
  })
const Procedures = z
  .array(Text.min(1).max(200))
  .min(1)
  .max(PROCEDURES_NAMED_MAX)
  .nullable()
  .meta({
    description:
      'Ids or short ids of the procedures whose processes are told of; null: all. Events that are not about a process are sent all the same.',
    examples: [['lead']],
  })
const Description = Text.max(DESCRIPTION_CHARACTERS_MAX).meta({
  description: 'What the webhook is for, for people.',
  examples: ['Tells the warehouse'],
})
const Enabled = z.boolean().meta({
  description: 'Whether events are sent. What happens while it is false is sent when it is true again.',
  examples: [true],
})
const Order = z.enum(['any', 'strict']).meta({
  description:
    '`any`: an event whose delivery fails is sent again later, and the next ones go on. `strict`: nothing is sent before what came first was delivered.',
  examples: ['any'],
})

export const NewWebhook = z.strictObject({
  url: Url,
  types: Types.default(null),
  procedures: Procedures.default(null),
  description: Description.default(''),
  enabled: Enabled.default(true),
  order: Order.default('any'),
})
export type NewWebhook = z.output<typeof NewWebhook>

/** Only the members that are sent are changed. */
export const UpdateWebhook = z
  .strictObject({
    url: Url.exactOptional(),
    types: Types.exactOptional(),
    procedures: Procedures.exactOptional(),
    description: Description.exactOptional(),
    enabled: Enabled.exactOptional(),
    order: Order.exactOptional(),
  })
  .refine(body => Object.keys(body).length > 0, {
    error: 'at least one field is required, such as "url" or "enabled"',
  })
  .meta({ minProperties: 1 })
export type UpdateWebhook = z.output<typeof UpdateWebhook>

export const WebhookPath = z.object({
  webhookId: z
    .string()
    .meta({ description: 'The id of the webhook.', examples: ['01935c1e-5a00-7010-8a9b-7c8d9eafb0c1'] }),
})

export const SecretRotation = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(OVERLAP_SECONDS)
    .default(OVERLAP_SECONDS)
    .meta({
      description: 'How long the old secret signs as well; 0: it ends at once.',
      examples: [OVERLAP_SECONDS],
    }),
})

/** The state of a webhook at the moment of the response. */
const WEBHOOK_STATE_FIELDS = {
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

export const WebhookView = z.object({ ...WEBHOOK_FIELDS, ...WEBHOOK_STATE_FIELDS }).meta({ id: 'Webhook' })
export type WebhookView = z.infer<typeof WebhookView>

export const IssuedWebhook = z
  .object({
    ...WebhookView.shape,
    secret: z.string().nullable().meta({
      description:
        'What each request is signed with. Only in the response to its creation or rotation; null where an idempotency key replays that after another rotation.',
    }),
  })
  .meta({ id: 'IssuedWebhook' })
export type IssuedWebhook = z.infer<typeof IssuedWebhook>
