import { z } from 'zod'

export const LIST_LIMIT_MAX = 100
const WHOLE_LIST_LIMIT_MAX = 1_000

/** Whole numbers arrive as text in a query string. */
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({
      type: 'integer',
      minimum: min,
      ...(max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }),
      pattern: undefined,
    })

export const SkipQuery = whole(0, Number.MAX_SAFE_INTEGER).default(0).describe('How many to skip.')
/** Of a list that is returned whole where no limit is sent. */
export const OptionalLimitQuery = whole(1, WHOLE_LIST_LIMIT_MAX)
  .exactOptional()
  .describe('How many to return at most. The default is all.')
/** Where it depends on the rest of the request whether there may be one. */
export const OptionalPageLimitQuery = whole(1, LIST_LIMIT_MAX)
  .exactOptional()
  .describe('How many to return at most. Not with `all=true`.')
export const limitQuery = (initial: number) =>
  whole(1, LIST_LIMIT_MAX).default(initial).describe('How many to return at most.')
