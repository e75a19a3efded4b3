import * as z from 'zod'
import { cursorQuery } from '../../http/request/paging.ts'
import { EpochMs, Id } from '../../http/shapes.ts'
import { DELIVERY_STATUSES } from '../rules.ts'

/** What a request for counts looks back at most. */
export const COUNTED_DAYS_MAX = 92
const TIME_ZONE_CHARACTERS_MAX = 60
/** The provider's own limit. */
const TEMPLATE_CHARACTERS_MAX = 512

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

const TimeZoneName = z
  .string()
  .max(TIME_ZONE_CHARACTERS_MAX)
  .refine(isTimeZone, { error: 'must be a time zone such as Asia/Kolkata' })
  .meta({ description: 'The time zone whose days are meant. The default is UTC.', examples: ['Asia/Kolkata'] })

export const MessageFilterQuery = {
  status: z
    .enum(DELIVERY_STATUSES)
    .exactOptional()
    .meta({ description: 'Only messages with this delivery status.', examples: ['FAILED'] }),
  plugin: z
    .uuid({ error: 'must be the id of a plugin (a UUID)' })
    .transform(id => id.toLowerCase())
    .exactOptional()
    .meta({ description: 'Only messages of this plugin.', examples: ['01935c1e-5a00-700a-8a9b-7c8d9eafb0c1'] }),
  template: z
    .string()
    .min(1)
    .max(TEMPLATE_CHARACTERS_MAX)
    .exactOptional()
    .meta({
      description:
        'Only messages of this template: its name, which stands for all its languages in all plugins, or its id.',
      examples: ['order_update'],
    }),
  from: EpochMs.exactOptional().meta({
    description: 'Only messages from this time on.',
    examples: ['2026-11-01T00:00:00Z'],
  }),
  to: EpochMs.exactOptional().meta({
    description: 'Only messages before this time.',
    examples: ['2026-12-01T00:00:00Z'],
  }),
}

export const COUNT_GROUPS = ['status', 'plugin', 'template'] as const

export const MessageCountQuery = z.strictObject({
  groupBy: z
    .enum(COUNT_GROUPS)
    .default('status')
    .meta({ description: 'What is counted by.', examples: ['status'] }),
  by: z
    .enum(['day'])
    .exactOptional()
    .meta({ description: 'A count for each day.', examples: ['day'] }),
  timeZone: TimeZoneName.default('UTC'),
  ...MessageFilterQuery,
  direction: z
    .enum(['OUTBOUND', 'INBOUND'])
    .default('OUTBOUND')
    .meta({ description: 'Ours, or those of customers.', examples: ['OUTBOUND'] }),
  cursor: cursorQuery(20, '4823'),
})
export type MessageCountQuery = z.output<typeof MessageCountQuery>

export const MessageCount = z
  .object({
    day: z.string().nullable().describe('The day, as 2026-11-22; null without `by=day`.'),
    status: z.enum(DELIVERY_STATUSES).nullable().describe('The delivery status; null if another group is counted by.'),
    plugin: Id.nullable().describe('The id of the plugin; null if another group is counted by.'),
    template: z
      .string()
      .nullable()
      .describe('The id of the template; null if another group is counted by, or without one.'),
    count: z.int().describe('How many messages.'),
  })
  .meta({ id: 'MessageCount' })
export type MessageCount = z.infer<typeof MessageCount>
