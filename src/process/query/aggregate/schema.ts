import { z } from 'zod'
import { ListQuery } from '../schema.ts'
import { GROUP_FIELDS_MAX, METRICS_MAX } from './asked.ts'
import { CALENDAR_UNITS } from './calendar.ts'
import { GROUPS_MAX } from './figures.ts'
import { PARTIAL_FIGURES_CHARACTERS_MAX } from './partial-figures.ts'

const DateGroup = z
  .strictObject({
    field: z.string(),
    by: z.enum(CALENDAR_UNITS),
    timeZone: z.string().exactOptional().describe('A time zone of the IANA database. The default is UTC.'),
  })
  .meta({ id: 'DateGroup', description: 'A time by its day, week (from Monday on) or month in a time zone.' })

const Metric = z
  .strictObject({
    count: z.literal(true),
    sum: z.string(),
    avg: z.string(),
    min: z.string(),
    max: z.string(),
  })
  .partial()
  .meta({
    id: 'Metric',
    description: 'One of the figures: `{"count": true}`, or one of a field, such as `{"sum": "score"}`.',
  })

const GROUPS_DEFAULT = 100

/** `where` is read by `read/filter.ts`, which knows the procedure's attributes. */
export const AggregateRequestBody = z.strictObject({
  where: z.unknown().optional(),
  groupBy: z
    .array(z.union([z.string(), DateGroup]))
    .max(GROUP_FIELDS_MAX)
    .default([])
    .describe('Root fields and attributes. Without it there is one group.'),
  metrics: z.array(Metric).max(METRICS_MAX).exactOptional().describe('The default is the number of processes.'),
  limit: z
    .int()
    .min(1)
    .max(GROUPS_MAX)
    .default(GROUPS_DEFAULT)
    .describe('How many groups to return at most: those with the most processes.'),
  cursor: z
    .string()
    .max(PARTIAL_FIGURES_CHARACTERS_MAX)
    .nullish()
    .transform(cursor => cursor ?? undefined),
})

const Figure = z.union([z.number(), z.string()]).nullable()
const Figures = z.record(z.string(), Figure)
const Numbers = z.record(z.string(), z.number().nullable())

export const AggregatedGroup = z
  .object({
    group: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]).nullable())
      .describe('The value of each field of `groupBy`, null where it is not set. Of a date, the first day.'),
    count: z.int().exactOptional().describe('The number of processes.'),
    sum: Numbers.exactOptional(),
    avg: Numbers.exactOptional(),
    min: Figures.exactOptional(),
    max: Figures.exactOptional(),
  })
  .meta({ id: 'AggregatedGroup', description: 'The figures of the processes that have the same values.' })

export const ProcessCount = z.object({ count: z.int() }).meta({ id: 'ProcessCount' })

const COUNT_CURSOR_LENGTH_MAX = 1_000
const FILTER_TEXT_LENGTH_MAX = 14_000

/** A filter as a query parameter. */
const WhereText = z
  .string()
  .max(FILTER_TEXT_LENGTH_MAX)
  .transform((text, { addIssue }): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      addIssue({ code: 'custom', message: 'must be JSON', params: { hint: '{"city": "Pune"}' } })
      return z.NEVER
    }
  })
  .meta({ type: 'string', description: 'A query as JSON, as `where` in the body of a search.' })

export const CountQuery = z.strictObject({
  ...ListQuery.pick({ status: true, state: true, assignedTo: true }).shape,
  where: WhereText.exactOptional(),
  cursor: z
    .string()
    .max(COUNT_CURSOR_LENGTH_MAX)
    .exactOptional()
    .describe('`_meta.next` of a response that is not complete.'),
})
