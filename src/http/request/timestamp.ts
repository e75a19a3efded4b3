/** Whole numbers in this range are epoch seconds sent by mistake: as milliseconds they would be in early 1970. */
const SECONDS_FROM = 1_000_000_000
const SECONDS_TO = 100_000_000_000
/** The largest time that a `Date` can hold, in epoch milliseconds. */
const EPOCH_MS_MAX = 8_640_000_000_000_000

const ISO_8601 = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/

type Timestamp = { ms: number } | { message: string; hint?: string }

/** Reads a point in time as callers may send it: ISO 8601 with an offset, or epoch milliseconds. */
export function readTimestamp(value: string | number | boolean): Timestamp {
  if (typeof value === 'number') return readEpoch(value)
  if (typeof value === 'boolean')
    return { message: 'must be an ISO 8601 timestamp with an offset, or epoch milliseconds' }
  const match = ISO_8601.exec(value)
  if (match === null) {
    const message = 'is not an ISO 8601 timestamp with an offset'
    return /^-?\d{1,16}$/.test(value)
      ? { message, hint: String(Number(value)) }
      : { message, hint: '2026-01-31T09:30:00Z' }
  }
  const [, date = '', time = '00:00', seconds = ':00', offset] = match
  if (offset === undefined) return { message: 'lacks an offset from UTC', hint: `${date}T${time}${seconds}Z` }
  const withColon = offset === 'Z' || offset.includes(':') ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`
  const ms = Date.parse(`${date}T${time}${seconds}${withColon}`)
  // `Date.parse` reads 31 February as early March.
  const day = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(ms) || Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date) {
    return { message: 'is not a date that exists' }
  }
  return { ms }
}

function readEpoch(value: number): Timestamp {
  if (!Number.isInteger(value) || Math.abs(value) > EPOCH_MS_MAX)
    return { message: 'is not a whole number of milliseconds' }
  if (value >= SECONDS_FROM && value < SECONDS_TO) {
    return { message: 'looks like epoch seconds; milliseconds are expected', hint: String(value * 1000) }
  }
  return { ms: value }
}
