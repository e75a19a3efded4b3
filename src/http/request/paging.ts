import * as z from 'zod'

export const LIST_LIMIT_MAX = 100
const WHOLE_LIST_LIMIT_MAX = 1_000

/** A whole number, which arrives as text in a query string. */
export const wholeNumber = (min: number, max: number, hintAbove?: string) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.int().min(min).max(max, hintAbove))
    .meta({
      type: 'integer',
      minimum: min,
      ...(max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }),
      pattern: undefined,
    })

/** The rows that a list may skip. They are read all the same, while a cursor goes on anywhere in the list without that. */
export const SKIP_MAX = 100_000
export const BEYOND_SKIP_MAX = 'go on with `cursor`, which reads nothing twice'

const skipUpTo = (max: number) =>
  wholeNumber(0, max, BEYOND_SKIP_MAX)
    .default(0)
    .meta({ description: 'How many to skip.', examples: [20] })
export const SkipQuery = skipUpTo(SKIP_MAX)
/** The `skip` of a list that skips in bounded statements. */
export const AnySkipQuery = skipUpTo(Number.MAX_SAFE_INTEGER)
/** The `limit` of a list that is returned whole by default. */
export const OptionalLimitQuery = wholeNumber(1, WHOLE_LIST_LIMIT_MAX)
  .exactOptional()
  .meta({ description: 'How many to return at most. The default is all.', examples: [50] })
export const limitQuery = (initial: number) =>
  wholeNumber(1, LIST_LIMIT_MAX)
    .default(initial)
    .meta({ description: 'How many to return at most.', examples: [20] })

/** The `cursor` of a list whose `_meta.next` is a cursor. */
export const cursorQuery = (lengthMax: number, example: string) =>
  z
    .string()
    .max(lengthMax)
    .exactOptional()
    .meta({ description: '`_meta.next` of the previous page.', examples: [example] })

/** Members of a page's `_meta`, for the documentation of a response. */
export const HAS_MORE = z.boolean().describe('Whether there are more pages.')
export const NEXT_CURSOR = z.string().nullable().describe('The `cursor` of the next page; null on the last page.')
export const NEXT_PATH = z.string().nullable().describe('The path of the next page; null on the last page.')
