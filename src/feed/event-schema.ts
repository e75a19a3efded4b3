import * as z from 'zod'
import { EventAuthor } from '../event/author.ts'
import type { EventType } from '../event/types.ts'
import { Id } from '../http/shapes.ts'
import { EVENT_DATA } from './event-data.ts'
import { EVENT_EXAMPLES } from './event-examples.ts'

/** `message.status_changed` is shown as `MessageStatusChangedEvent`. */
const toComponentName = (type: EventType): string =>
  `${type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`

/** An event of one type: what all have, and its own `data`. */
const defineEvent = <Type extends EventType>(type: Type, description: string) =>
  z
    .object({
      id: z.string().describe('The id of the event. It is the same in the feed and in every delivery of a webhook.'),
      sequence: z.int().describe('Its number. Those of a team have no gaps.'),
      type: z.literal(type).describe('What happened.'),
      timestamp: z.iso.datetime().describe('When it happened, in ISO 8601.'),
      team: Id.describe('The id of the team.'),
      data: EVENT_DATA[type],
      by: EventAuthor,
    })
    .meta({ id: toComponentName(type), description, examples: [EVENT_EXAMPLES[type]] })

const EVENTS = [
  defineEvent('process.created', 'A process was created, by a call or by a job.'),
  defineEvent('process.updated', 'A process was changed, by a call or by a job.'),
  defineEvent('process.deleted', 'A process was deleted.'),
  defineEvent('process.restored', 'A deleted process was restored.'),
  defineEvent('process.next_action_due', 'The `nextActionAt` of an open process has come. Once for each value.'),
  defineEvent('record.updated', 'A customer was changed.'),
  defineEvent('record.merged', 'A customer was merged into another.'),
  defineEvent('record.erased', 'A customer was erased.'),
  defineEvent('background_job.completed', 'A job has ended.'),
  defineEvent('message.received', 'A customer wrote.'),
  defineEvent('message.status_changed', 'A message to a customer got another delivery status.'),
  defineEvent('plugin.stopped', 'The provider refuses an account, or one of its phone numbers.'),
  defineEvent('plugin.resumed', 'An account, or one of its phone numbers, may send again.'),
  defineEvent('template.changed', 'A template is new, another one, or gone.'),
  defineEvent('webhook.disabled', 'The service has disabled a webhook.'),
] as const

const mapping = Object.fromEntries(
  EVENTS.map(({ shape: { type } }) => [type.value, `#/components/schemas/${toComponentName(type.value)}`]),
)

/** An event of the feed. Its `type` says which `data` it has. */
export const TeamEvent = z.discriminatedUnion('type', EVENTS).meta({
  id: 'TeamEvent',
  description: 'An event. Its `type` says which `data` it has.',
  discriminator: { propertyName: 'type', mapping },
})
export type TeamEvent = z.infer<typeof TeamEvent>
