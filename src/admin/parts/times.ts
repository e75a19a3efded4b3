const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', SECOND_MS],
] as const

const DAYS_MAX = 45

export const formatZonedTime = (ms: number): string => date.format(ms)

export const utcTime = (ms: number): string => `${new Date(ms).toISOString().replace('T', ' ').slice(0, 19)} UTC`

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/

/** "27 Oct 2026" of `2026-10-27`; what is in words already stays. */
export const formatDay = (text: string): string => (ISO_DAY.test(text) ? day.format(Date.parse(text)) : text)

/** "3 min ago", "in 2 days"; what is further away is a date. */
export function relativeTime(ms: number, now: number): string {
  const distance = ms - now
  const [unit, size] = UNITS.find(([, each]) => Math.abs(distance) >= each) ?? ['second', SECOND_MS]
  if (unit === 'day' && Math.abs(distance) / size > DAYS_MAX) return formatZonedTime(ms)
  return relative.format(Math.trunc(distance / size), unit)
}

/** "1 h 5 min", "40 s", "120 ms": the largest unit and the one after it. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < SECOND_MS) return `${Math.round(ms)} ms`
  const whole = Math.max(ms, SECOND_MS)
  const largest = UNITS.findIndex(([, size]) => whole >= size)
  const parts: string[] = []
  let rest = whole
  for (const [unit, size] of UNITS.slice(largest, largest + 2)) {
    const count = Math.floor(rest / size)
    if (count > 0) parts.push(`${count} ${unit === 'minute' ? 'min' : unit.charAt(0)}`)
    rest -= count * size
  }
  return parts.join(' ')
}

/** Returns the start of a day (`2026-11-22`) in the reader's zone, or of the day that is `later` days after it. */
export function getDayStart(day: string | undefined, later = 0): number {
  const [year = 0, month = 1, date = 1] = (day ?? '').split('-').map(Number)
  return new Date(year, month - 1, date + later).getTime()
}

export interface FilterDays {
  from?: string | undefined
  to?: string | undefined
}

/** The times that a filter by days asks the API for; the last day is included. */
export const toTimes = ({ from, to }: FilterDays): { from?: number; to?: number } => ({
  ...(from === undefined ? {} : { from: getDayStart(from) }),
  ...(to === undefined ? {} : { to: getDayStart(to, 1) }),
})
