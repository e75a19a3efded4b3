import * as z from 'zod'
import { AnySkipQuery, cursorQuery, LIST_LIMIT_MAX, wholeNumber } from '../../http/request/paging.ts'
import { ROOT_FIELDS } from '../../procedure/model.ts'
import { SEARCH_WORDS_MAX } from '../../procedure/search/words.ts'
import { FIELD_CHARACTERS_MAX, FIELDS_MAX } from './output/fields.ts'
import { LIST_FORMATS } from './output/format.ts'
import { CONDITIONS_MAX, NESTED_QUERIES_MAX, VALUES_PER_LIST_MAX } from './read/filter.ts'
import { SORT_FIELDS_MAX } from './read/sort.ts'
import { CONTAINED_CHARACTERS_MAX, PATTERN_CHARACTERS_MAX, PATTERNS_PER_LIST_MAX } from './read/text-match.ts'

// The shape of a query, for the reference. `filter.ts`, which knows the procedure, finds what is wrong with one.

const TIME_ZONE = z
  .string()
  .exactOptional()
  .meta({ description: 'A time zone of the IANA database. The default is UTC.', examples: ['Asia/Kolkata'] })
const duration = (example: string, description: string) => z.string().meta({ description, examples: [example] })

/** A relative time, in place of a time or a day. `read/relative-time.ts` reads the duration. */
const RelativeTime = z
  .union([
    z.strictObject({
      now: duration('-P7D', 'An ISO 8601 duration from the time of the request on: `-P7D` is seven days ago.'),
      timeZone: TIME_ZONE,
    }),
    z.strictObject({
      today: duration('P0D', 'Years, months, weeks and days from today on, as an ISO 8601 duration: `P0D` is today.'),
      timeZone: TIME_ZONE,
    }),
  ])
  .meta({
    id: 'RelativeTime',
    description:
      'A time or a day that is relative to the request: `now` for times, `today` for days and, in a range, for the beginning of a day.',
  })

// Each part is a component, because generators can't make names of operators.
const Value = z.union([z.string(), z.number(), z.boolean(), RelativeTime, z.null()]).meta({ id: 'QueryValue' })
const Values = z.union([Value, z.array(Value).max(VALUES_PER_LIST_MAX)]).meta({ id: 'QueryValues' })
const RangeValue = z
  .union([z.string(), z.number(), RelativeTime])
  .meta({ id: 'QueryBound', description: 'A time may be ISO 8601.' })
const Pattern = z.string().min(1).max(PATTERN_CHARACTERS_MAX)
const Patterns = z.union([Pattern, z.array(Pattern).max(PATTERNS_PER_LIST_MAX)]).meta({
  id: 'QueryText',
  description: 'Text that A to Z matches in upper and lower case, or a list of which any may match.',
})

const Comparison = z
  .union([
    Values,
    z
      .strictObject({
        '=': Values.meta({ description: 'Equal to it, or to any of a list.', examples: ['Pune'] }),
        '!=': Values.meta({ description: 'The exact complement of `=`.', examples: ['Pune'] }),
        '>': RangeValue.meta({ description: 'Greater than it.', examples: [70] }),
        '>=': RangeValue.meta({ description: 'Greater than it or equal to it.', examples: [70] }),
        '<': RangeValue.meta({ description: 'Less than it.', examples: [70] }),
        '<=': RangeValue.meta({ description: 'Less than it or equal to it.', examples: [70] }),
        startsWith: Patterns.meta({
          description: 'Text that begins with it, or with any of a list.',
          examples: ['Pu'],
        }),
        contains: Patterns.meta({
          description: `Text that has it anywhere, or any of a list. All texts of a query that are looked for so have at most ${CONTAINED_CHARACTERS_MAX} characters together.`,
          examples: ['une'],
        }),
      })
      .partial()
      .meta({ minProperties: 1 }),
  ])
  .meta({
    id: 'Comparison',
    description:
      'A value: equal to it. A list: equal to any of its values. `null`: not set. An object: all its operators must match. `!=` is the exact complement of `=`. `startsWith` and `contains` compare text.',
  })

interface QueryShape {
  and?: QueryShape[] | undefined
  or?: QueryShape[] | undefined
  [field: string]: unknown
}

const nested = (description: string, example: QueryShape[]) =>
  z
    .array(Query)
    .min(1)
    .max(CONDITIONS_MAX)
    .optional()
    .meta({ description, examples: [example] })

export const Query: z.ZodType<QueryShape> = z
  .object({
    get and() {
      return nested('All of these queries must match.', [{ score: { '>=': 50 } }, { score: { '<': 90 } }])
    },
    get or() {
      return nested('At least one of these queries must match.', [{ city: 'Pune' }, { source: 'referral' }])
    },
  })
  // Lists of queries belong to `and` and `or` only, but TypeScript's index signatures include the named fields.
  .catchall(z.union([Comparison, z.array(z.lazy(() => Query))]))
  .meta({
    id: 'Query',
    description: `An object from a root field (${ROOT_FIELDS.join(', ')}), the customer (record, record.phone, record.email) or an attribute short id to a condition. All conditions must match. At most ${NESTED_QUERIES_MAX} nested queries and ${CONDITIONS_MAX} conditions.`,
  })

export const LIST_LIMIT_DEFAULT = 10
const ALL_OF_THEM = 'without a limit, all=true in the address returns all that match'
const CURSOR_LENGTH_MAX = 4_000
export const CURSOR_EXAMPLE = 'eyJxIjoiMWRrM3EiLCJ2IjpbXSwiciI6NDgyM30'
/** The length of a cursor of a sorted list, which holds values of processes, and the row numbers of up to `KEPT_MAX` of them. */
const SORTED_CURSOR_LENGTH_MAX = 100_000

const FIELDS_LENGTH_MAX = 12_000
const FIELDS_DESCRIPTION =
  'What to return of each process: fields such as `state`, short ids of attributes, `record.id`, `record.phone`, `record.email`, `record.data.<name>`. The default is everything; of CSV, the fields and the declared attributes. With it, the schema of the response is that in `x-other-content`: a process has only what is named.'

/** The body of a list. `where` is parsed by `read/filter.ts`, which knows the procedure's attributes. */
export const ListRequestBody = z.strictObject({
  where: z.unknown().optional(),
  search: z
    .string()
    .optional()
    .describe(
      `Words that must all occur in the primary key or the searchable attributes, in any order, each as a word or the start of one. At most ${SEARCH_WORDS_MAX} words. Where no attribute is searchable, the beginning of the primary key. With it, \`sort\` takes \`relevance\`.`,
    )
    .meta({ examples: ['meera pun'] }),
  sort: z
    .array(
      z.strictObject({
        field: z.string().meta({ description: 'A root field or the short id of an attribute.', examples: ['score'] }),
        order: z
          .enum(['asc', 'desc'])
          .default('asc')
          .meta({ description: 'Ascending or descending.', examples: ['desc'] }),
      }),
    )
    .max(SORT_FIELDS_MAX)
    .optional()
    .describe('The order of the processes. The default is newest first.'),
  skip: z
    .int()
    .min(0)
    .default(0)
    .meta({ description: 'How many to skip. Not together with `cursor`.', examples: [20] }),
  limit: z
    .int()
    .min(1)
    .max(LIST_LIMIT_MAX, { error: ALL_OF_THEM })
    .exactOptional()
    .meta({
      default: LIST_LIMIT_DEFAULT,
      description: 'How many to return at most. Not with `all=true`.',
      examples: [20],
    }),
  cursor: z
    .string()
    .max(SORTED_CURSOR_LENGTH_MAX)
    .nullish()
    .transform(cursor => cursor ?? undefined)
    .meta({ description: '`_meta.next` of the previous page.', examples: [CURSOR_EXAMPLE] }),
  fields: z
    .array(z.string().min(1).max(FIELD_CHARACTERS_MAX))
    .min(1)
    .max(FIELDS_MAX)
    .exactOptional()
    .meta({ description: FIELDS_DESCRIPTION, examples: [['lead_id', 'state', 'record.phone']] }),
})

/** The parameters of a list's output, for both routes. */
const OutputQuery = {
  format: z
    .enum(LIST_FORMATS)
    .exactOptional()
    .meta({
      description:
        'Instead of the header `accept`. `excel` is CSV with a byte order mark, in which no text begins like a formula.',
      examples: ['csv'],
    }),
  all: z
    .enum(['true', 'false'])
    .exactOptional()
    .meta({ description: '`true`: all that match, as a stream, instead of one page.', examples: ['true'] }),
  checkpoints: z
    .enum(['true', 'false'])
    .exactOptional()
    .meta({
      description:
        'Of NDJSON with `all=true`: also lines that are envelopes without data, which say in `_meta` whether there is more behind the processes before them, and the cursor from which the list goes on there.',
      examples: ['true'],
    }),
  fields: z
    .string()
    .min(1)
    .max(FIELDS_LENGTH_MAX)
    .exactOptional()
    .meta({ description: `Separated by commas. ${FIELDS_DESCRIPTION}`, examples: ['lead_id,state,record.phone'] }),
}

/** The cursor and the output of a list stand in the address, so that the address of the next page is whole. The rest is the body. */
export const ListCursorQuery = z.strictObject({
  cursor: z
    .string()
    .max(SORTED_CURSOR_LENGTH_MAX)
    .exactOptional()
    .meta({
      description: 'As `cursor` in the body, and instead of `skip` there. The header `link` of a page has it.',
      examples: [CURSOR_EXAMPLE],
    }),
  ...OutputQuery,
})

export const ListQuery = z.strictObject({
  skip: AnySkipQuery,
  limit: wholeNumber(1, LIST_LIMIT_MAX, ALL_OF_THEM)
    .exactOptional()
    .meta({
      default: LIST_LIMIT_DEFAULT,
      description: 'How many to return at most. Not with `all=true`.',
      examples: [20],
    }),
  cursor: cursorQuery(CURSOR_LENGTH_MAX, CURSOR_EXAMPLE),
  status: z
    .string()
    .exactOptional()
    .meta({ description: 'OPEN, COMPLETED or CANCELLED.', examples: ['OPEN'] }),
  state: z
    .string()
    .exactOptional()
    .meta({ description: 'The short id of a state.', examples: ['CONTACTED'] }),
  assignedTo: z
    .string()
    .exactOptional()
    .meta({ description: "A user's id, username or primary e-mail address.", examples: ['meera'] }),
  ...OutputQuery,
})
export type ListOutput = { [Name in keyof typeof OutputQuery]?: z.output<(typeof OutputQuery)[Name]> | undefined }
