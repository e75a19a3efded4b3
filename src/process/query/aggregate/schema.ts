import * as z from 'zod'
import { findUnusable } from '../../../http/request/levels.ts'
import { CURSOR_EXAMPLE, ListQuery } from '../schema.ts'
import { CALENDAR_UNITS } from './calendar.ts'
import { GROUPS_MAX } from './figures.ts'
import { GROUP_FIELDS_MAX, METRICS_MAX } from './parsed-aggregate.ts'
import { PARTIAL_FIGURES_CHARACTERS_MAX } from './partial-figures.ts'

const DateGroup = z
  .strictObject({
    field: z.string().meta({ description: 'A root field or an attribute that holds times.', examples: ['createdAt'] }),
    by: z.enum(CALENDAR_UNITS).meta({ description: 'The unit of the groups.', examples: ['month'] }),
    timeZone: z
      .string()
      .exactOptional()
      .meta({
        description: 'A time zone of the IANA database. The default is UTC.',
        examples: ['Asia/Kolkata'],
      }),
  })
  .meta({ id: 'DateGroup', description: 'A time by its day, week (from Monday on) or month in a time zone.' })

const METRIC_FORMS = 'a metric is an object: {"count": true} or {"sum": "<field>"}; avg, min and max as sum'

const Metric = z
  .strictObject(
    {
      count: z.literal(true).meta({ description: 'The number of processes.', examples: [true] }),
      sum: z.string().meta({ description: 'The sum of this field.', examples: ['score'] }),
      avg: z.string().meta({ description: 'The average of this field.', examples: ['score'] }),
      min: z.string().meta({ description: 'The least value of this field.', examples: ['score'] }),
      max: z.string().meta({ description: 'The greatest value of this field.', examples: ['score'] }),
    },
    { error: issue => (issue.code === 'invalid_type' ? METRIC_FORMS : undefined) },
  )
  .partial()
  .meta({
    id: 'Metric',
    description: 'One of the figures: `{"count": true}`, or one of a field, such as `{"sum": "score"}`.',
  })

const GROUPS_DEFAULT = 100

/** The body of an aggregation. `where` is parsed by `read/filter.ts`, which knows the procedure's attributes. */
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
    .meta({ description: 'How many groups to return at most: those with the most processes.', examples: [20] }),
  cursor: z
    .string()
    .max(PARTIAL_FIGURES_CHARACTERS_MAX)
    .nullish()
    .transform(cursor => cursor ?? undefined)
    .meta({ description: '`_meta.next` of a response that is not complete.', examples: [CURSOR_EXAMPLE] }),
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
    sum: Numbers.exactOptional().describe('Sums, by field; 0 where no process has a number.'),
    avg: Numbers.exactOptional().describe('Averages, by field; null where no process has a number.'),
    min: Figures.exactOptional().describe('The least values, by field; null where no process has one.'),
    max: Figures.exactOptional().describe('The greatest values, by field; null where no process has one.'),
  })
  .meta({ id: 'AggregatedGroup', description: 'The figures of the processes that have the same values.' })

export const ProcessCount = z
  .object({ count: z.int().describe('The number of processes that match.') })
  .meta({ id: 'ProcessCount' })

/** A cursor has one text of an index, of up to 1,000 characters: 4,000 if each takes three bytes, more with the rest. */
const COUNT_CURSOR_LENGTH_MAX = 6_000
const FILTER_TEXT_LENGTH_MAX = 14_000

/** A filter as a query parameter. */
const WhereText = z
  .string()
  .max(FILTER_TEXT_LENGTH_MAX)
  .transform((text, { addIssue }): unknown => {
    try {
      const where: unknown = JSON.parse(text)
      const unusable = findUnusable(text, where)
      if (unusable !== null)
        addIssue({ code: 'custom', message: `${unusable.message} (${unusable.path.replace('/body', '')})` })
      return where
    } catch {
      addIssue({ code: 'custom', message: 'must be JSON', params: { hint: '{"city": "Pune"}' } })
      return z.NEVER
    }
  })
  .meta({
    type: 'string',
    description: 'A query as JSON, as `where` in the body of a search.',
    examples: ['{"score": {">=": 70}}'],
  })

export const CountQuery = z.strictObject({
  ...ListQuery.pick({ status: true, state: true, assignedTo: true }).shape,
  where: WhereText.exactOptional(),
  cursor: z
    .string()
    .max(COUNT_CURSOR_LENGTH_MAX)
    .exactOptional()
    .meta({ description: '`_meta.next` of a response that is not complete.', examples: [CURSOR_EXAMPLE] }),
})
