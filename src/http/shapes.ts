import * as z from 'zod'
import { readTimestamp } from './request/timestamp.ts'

/** Shapes that many routes share. `Id` and `Time` are for responses, `EpochMs` is for requests. */
export const Id = z.string().meta({ format: 'uuid' })
export const Time = z.int().meta({ description: 'Epoch milliseconds.' })

/** Tells whether a value is a JSON object: neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A smaller number is epoch seconds, or a mistake. As milliseconds it is March 1973. */
const EPOCH_MS_MIN = 100_000_000_000
const EPOCH_MS_MAX = 8_640_000_000_000_000

const DIGITS = /^\d{1,16}$/
const MUST_BE_TIME = 'must be epoch milliseconds, or ISO 8601 with an offset'

/** A point in time, which callers send as epoch milliseconds, as a number or its digits, or as ISO 8601. */
export const EpochMs = z
  .union([z.number(), z.string()], { error: MUST_BE_TIME })
  .transform((sent, ctx) => {
    const isText = typeof sent === 'string' && !DIGITS.test(sent)
    const read = isText ? readTimestamp(sent) : { ms: Number(sent) }
    const value = 'ms' in read ? read.ms : Number.NaN
    if (Number.isSafeInteger(value) && value >= EPOCH_MS_MIN && value <= EPOCH_MS_MAX) return value
    const hint = 'ms' in read ? suggestSeconds(value) : sent === '' ? 'null' : read.hint
    const message =
      'ms' in read || sent === '' ? MUST_BE_TIME : `${JSON.stringify(String(sent).slice(0, 100))} ${read.message}`
    ctx.addIssue({ code: 'custom', message, params: { hint } })
    return z.NEVER
  })
  .meta({ description: 'Epoch milliseconds, as a number or as its digits; or ISO 8601 with an offset.' })

const suggestSeconds = (value: number): string | undefined =>
  Number.isSafeInteger(value) && value >= EPOCH_MS_MIN / 1000 ? String(value * 1000) : undefined

/** Text that comes back as it was sent. SQLite ends a text of JSON at a NUL. */
export const Text = z.string().refine(text => text.isWellFormed() && !text.includes('\0'), {
  error: 'must be valid Unicode without NUL characters',
})
