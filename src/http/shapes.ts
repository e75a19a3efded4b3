import { z } from 'zod'

/** Shapes that many routes share. `Id` and `Time` are of responses, `EpochMs` is what a caller may send. */
export const Id = z.string().meta({ format: 'uuid' })
export const Time = z.int().meta({ description: 'Epoch milliseconds.' })

/** A JSON object: neither null nor a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Before this, a number is epoch seconds, or a mistake. It is March 1973 in milliseconds. */
const EPOCH_MS_MIN = 100_000_000_000
const EPOCH_MS_MAX = 8_640_000_000_000_000

const DIGITS = /^\d{1,16}$/
const MUST_BE_EPOCH_MS = 'must be epoch milliseconds'

/** Epoch milliseconds, as a number or, as clients of the bulk routes send it, as its digits. */
export const EpochMs = z
  .union([z.number(), z.string().meta({ pattern: DIGITS.source })], { error: MUST_BE_EPOCH_MS })
  .transform((sent, ctx) => {
    const value = typeof sent === 'string' && !DIGITS.test(sent) ? Number.NaN : Number(sent)
    if (Number.isSafeInteger(value) && value >= EPOCH_MS_MIN && value <= EPOCH_MS_MAX) return value
    const meant = Number.isSafeInteger(value) && value >= EPOCH_MS_MIN / 1000 ? value * 1000 : msOfDate(sent)
    const hint = Number.isNaN(meant) ? {} : { params: { hint: String(meant) } }
    ctx.addIssue({ code: 'custom', message: MUST_BE_EPOCH_MS, ...hint })
    return z.NEVER
  })
  .meta({ description: 'Epoch milliseconds, as a number or as its digits.' })

/** Of a text that begins as ISO 8601 has it; whatever else a `Date` would make something of is no date. */
const msOfDate = (sent: string | number): number =>
  typeof sent === 'string' && /^\d{4}-\d\d-\d\d/.test(sent) ? Date.parse(sent) : Number.NaN

/** Text that a caller sends, and that comes back as it was sent: SQLite ends a text of JSON at a NUL. */
export const Text = z.string().refine(text => text.isWellFormed() && !text.includes('\0'), {
  error: 'must be valid Unicode without NUL characters',
})
