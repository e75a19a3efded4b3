import * as z from 'zod'
import { EVENT_TYPES, type EventType } from '../event-types.ts'
import { limitQuery, wholeNumber } from '../http/request/paging.ts'
import { Time } from '../http/shapes.ts'

const PAGE_LIMIT_DEFAULT = 100
/** It is below the minute after which proxies and clients usually give up. */
export const WAIT_SECONDS_MAX = 55

const EVENT_TYPE = z.enum(EVENT_TYPES)

/** Parses several types in one parameter, with commas between them. */
const Types = z
  .string({ error: 'type=process.created,process.updated' })
  .transform((text, ctx): EventType[] =>
    text.split(',').flatMap(word => {
      const { data, error } = EVENT_TYPE.safeParse(word.trim(), { reportInput: true })
      for (const issue of error?.issues ?? []) ctx.issues.push({ ...issue, input: word.trim() } as never)
      return data ?? []
    }),
  )
  .exactOptional()
  .meta({
    description: `Only events of these types, with commas between them: ${EVENT_TYPES.map(type => `\`${type}\``).join(', ')}.`,
    examples: ['process.created,process.updated'],
  })

export const EventsQuery = z.strictObject({
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .meta({
      description:
        'Only events with a greater number: `_meta.next` of the previous page. Without it the page begins with the oldest event that is kept.',
      examples: [5_016],
    }),
  type: Types,
  limit: limitQuery(PAGE_LIMIT_DEFAULT),
  waitSeconds: wholeNumber(0, WAIT_SECONDS_MAX)
    .default(0)
    .meta({
      description: 'How long to wait for an event if there is none yet.',
      examples: [30],
    }),
})
export type EventsQuery = z.output<typeof EventsQuery>

export const SwitchEventFeed = z.strictObject({
  enabled: z.boolean().meta({ description: 'Whether every event is kept.', examples: [true] }),
})

export const EventFeed = z
  .object({
    enabled: z.boolean().describe('Whether the feed is on.'),
    since: Time.nullable().describe('Since when it is on, in epoch milliseconds; null if it is off.'),
    oldest: z.int().nullable().describe('The number of the oldest event that is kept; null if there is none.'),
    latest: z.int().describe("The number of the team's last event; 0 before the first."),
  })
  .meta({ id: 'EventFeed' })
export type EventFeed = z.infer<typeof EventFeed>
