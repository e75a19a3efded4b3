import * as z from 'zod'
import { cursorQuery, limitQuery } from '../../http/request/paging.ts'
import { Time } from '../../http/shapes.ts'

const PAGE_LIMIT_DEFAULT = 20
const REPLAYED_EVENTS_MAX = 100

export const DeliveriesQuery = z.strictObject({
  failed: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: '`true`: only attempts that failed.', examples: ['true'] }),
  event: z
    .string()
    .min(1)
    .max(100)
    .exactOptional()
    .meta({
      description: 'Only attempts to deliver this event, by its id.',
      examples: ['evt_1c2d3e4f5a6b_23_mhc3v0a4'],
    }),
  cursor: cursorQuery(40, '23-0'),
  limit: limitQuery(PAGE_LIMIT_DEFAULT),
})
export type DeliveriesQuery = z.output<typeof DeliveriesQuery>

export const DeliveryView = z
  .object({
    event: z.string().describe('The id of the event; empty where it is not kept any more: `error` says so.'),
    sequence: z.int().describe('The number of the event.'),
    type: z.string().describe('The type of the event; empty where it is not kept any more.'),
    attempt: z
      .int()
      .describe(
        'Which attempt to deliver the event it was; the first is 1. A replay of what was delivered or given up begins with 1 again. 0: it was not sent, as it is not kept any more.',
      ),
    isDelivered: z.boolean().describe('Whether the receiver accepted it: with a status from 200 to 299.'),
    at: Time.describe('When it was sent, in epoch milliseconds.'),
    ms: z.int().describe('How long the response took, in milliseconds.'),
    status: z.int().nullable().describe('The status of the response; null: there was none, and `error` says why.'),
    error: z.string().nullable().describe('Why there was no response; null if there was one.'),
    response: z.string().describe('The start of the body of the response; may be empty.'),
    nextAttemptAt: Time.nullable().describe(
      'When the event is sent again, in epoch milliseconds; null: it is not, because it was delivered or given up.',
    ),
  })
  .meta({ id: 'WebhookDelivery' })
export type DeliveryView = z.infer<typeof DeliveryView>

const { event, isDelivered, ms, status, error, response } = DeliveryView.shape

export const TestDelivery = z.object({ event, isDelivered, status, ms, error, response }).meta({ id: 'WebhookTest' })
export type TestDelivery = z.infer<typeof TestDelivery>

/** `_meta` of a page of deliveries, besides that of every page. */
export const DELIVERY_STATE = {
  latest: z.int().describe('The number of the last event of the team.'),
  position: z.int().describe('Each event up to this number was delivered, given up, or waits to be sent again.'),
  waiting: z.int().describe('How many events wait to be sent again.'),
  failingSince: Time.nullable().describe(
    'Since when no delivery succeeds, in epoch milliseconds; null: the last one did.',
  ),
  heldUntil: Time.nullable().describe(
    'Nothing is sent before this time, in epoch milliseconds, as the receiver asked; null: it did not.',
  ),
}

const Sequence = z.int().min(1).max(Number.MAX_SAFE_INTEGER)

/** The events of a replay: a range, or a list. */
export const Replay = z
  .strictObject({
    from: Sequence.exactOptional().meta({ description: 'The number of the first event.', examples: [20] }),
    to: Sequence.exactOptional().meta({
      description: 'The number of the last event. The default is the last that happened.',
      examples: [23],
    }),
    events: z
      .array(z.string().min(1).max(100))
      .min(1)
      .max(REPLAYED_EVENTS_MAX)
      .exactOptional()
      .meta({
        description: 'Ids of events, in place of `from` and `to`.',
        examples: [['evt_1c2d3e4f5a6b_23_mhc3v0a4']],
      }),
  })
  .refine(({ from, events }) => (from === undefined) !== (events === undefined), {
    error: 'either "from" or "events" is required, and not both',
  })
  .refine(({ from = 0, to }) => to === undefined || from <= to, {
    error: 'must not be less than "from"',
    path: ['to'],
  })
  .refine(({ to, events }) => to === undefined || events === undefined, {
    error: 'goes with "from", not with "events"',
    path: ['to'],
  })
export type Replay = z.output<typeof Replay>

export const ReplayView = z
  .object({
    id: z.string().meta({ format: 'uuid' }).describe('The id of the replay.'),
    from: z.int().describe('The number of the first event that is sent again.'),
    to: z.int().describe('The number of the last event that is sent again.'),
    events: z.int().describe('How many events are looked at; those that the webhook has no interest in are not sent.'),
  })
  .meta({ id: 'WebhookReplay' })
export type ReplayView = z.infer<typeof ReplayView>
