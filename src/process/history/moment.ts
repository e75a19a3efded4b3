import * as z from 'zod'
import { readTimestamp } from '../../http/request/timestamp.ts'

/** The moment at which a process is shown: a time, or after one of its changes. */
export type Moment = { at: number } | { version: number }

/** Whole numbers below this are versions. */
export const VERSION_MAX = 999_999_999
/** Whole numbers from here on are epoch milliseconds; in between they are epoch seconds, sent by mistake. */
const EPOCH_MS_MIN = 100_000_000_000

const MUST_BE_MOMENT = 'must be epoch milliseconds, ISO 8601 with an offset, or a version'

export const MomentQuery = z
  .string()
  .transform((sent, ctx): Moment => {
    const refuse = (message: string, hint?: string) => {
      ctx.addIssue({ code: 'custom', message, params: { hint } })
      return z.NEVER
    }
    if (!/^\d{1,16}$/.test(sent)) {
      const read = readTimestamp(sent)
      if ('ms' in read) return { at: read.ms }
      return refuse(`${JSON.stringify(sent.slice(0, 100))} ${read.message}`, read.hint)
    }
    const number = Number(sent)
    if (number === 0) return refuse('versions begin with 1', '1')
    if (number <= VERSION_MAX) return { version: number }
    if (number >= EPOCH_MS_MIN) return { at: number }
    return refuse(MUST_BE_MOMENT, String(number * 1000))
  })
  .meta({
    type: 'string',
    description:
      'The process as it was then: epoch milliseconds, ISO 8601 with an offset, or a version. A whole number up to 999999999 is a version.',
    examples: ['2026-11-21T16:30:06Z'],
  })
