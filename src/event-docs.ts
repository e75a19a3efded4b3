import * as z from 'zod'
import { jobEventDocs } from './background-job/docs.ts'
import { customerEventDocs } from './customer/docs.ts'
import { EventAuthor } from './event/author.ts'
import type { EventDocs } from './event/docs.ts'
import { EVENT_TYPES, EVENTS, type EventType } from './event-types.ts'
import { Id } from './http/shapes.ts'
import { messageEventDocs } from './message/docs.ts'
import { pluginEventDocs, templateEventDocs } from './plugin/docs.ts'
import { processEventDocs } from './process/docs.ts'
import { webhookEventDocs } from './webhook/docs.ts'

const DATA = Object.assign({}, ...EVENTS.map(({ data }) => data)) as Record<EventType, z.ZodObject>

const DOCS: Record<EventType, EventDocs> = {
  ...processEventDocs,
  ...customerEventDocs,
  ...jobEventDocs,
  ...messageEventDocs,
  ...pluginEventDocs,
  ...templateEventDocs,
  ...webhookEventDocs,
}

function buildExample(type: EventType) {
  const { sequence, data, by } = DOCS[type]
  return {
    id: `evt_1c2d3e4f5a6b_${sequence}_mhc3v0a4`,
    sequence,
    timestamp: '2026-11-21T17:50:06.000Z',
    team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
    type,
    data,
    by,
  }
}

/** An event of each type. */
export const EVENT_EXAMPLES = Object.fromEntries(EVENT_TYPES.map(type => [type, buildExample(type)])) as Record<
  EventType,
  ReturnType<typeof buildExample>
>

/** `message.status_changed` is shown as `MessageStatusChangedEvent`. */
const toComponentName = (type: EventType): string =>
  `${type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`

/** An event of one type: what all have, and its own `data`. */
const defineEvent = (type: EventType) =>
  z
    .object({
      id: z.string().describe('The id of the event. It is the same in the feed and in every delivery of a webhook.'),
      sequence: z.int().describe('Its number. Those of a team have no gaps.'),
      type: z.literal(type).describe('What happened.'),
      timestamp: z.iso.datetime().describe('When it happened, in ISO 8601.'),
      team: Id.describe('The id of the team.'),
      data: DATA[type],
      by: EventAuthor,
    })
    .meta({ id: toComponentName(type), description: DOCS[type].description, examples: [EVENT_EXAMPLES[type]] })

type EventSchema = ReturnType<typeof defineEvent>

const SCHEMAS = EVENT_TYPES.map(defineEvent) as [EventSchema, ...EventSchema[]]
const mapping = Object.fromEntries(EVENT_TYPES.map(type => [type, `#/components/schemas/${toComponentName(type)}`]))

/** The schema of a `TeamEvent`, which `event-types.ts` has for the Worker. */
export const TeamEventSchema = z.discriminatedUnion('type', SCHEMAS).meta({
  id: 'TeamEvent',
  description: 'An event. Its `type` says which `data` it has.',
  discriminator: { propertyName: 'type', mapping },
})
