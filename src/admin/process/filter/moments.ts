const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const MINUTES_LENGTH = '2026-03-31T09:30'.length

/** As the input of the platform writes it: in the reader's zone, to the minute. Epoch milliseconds or ISO. */
export function localOf(value: unknown): string {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) return ''
  const offset = new Date(ms).getTimezoneOffset() * MINUTE_MS
  return new Date(ms - offset).toISOString().slice(0, MINUTES_LENGTH)
}

export const isoOfLocal = (local: string): string => new Date(local).toISOString()

const daysFrom = (days: number) => (now: Date) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)

/** What people mean most often; days begin in the reader's zone. */
export const QUICK_TIMES: readonly { name: string; of: (now: Date) => Date }[] = [
  { name: 'Now', of: now => now },
  { name: 'An hour ago', of: now => new Date(now.getTime() - HOUR_MS) },
  { name: 'Start of today', of: daysFrom(0) },
  { name: 'Start of yesterday', of: daysFrom(-1) },
  { name: '7 days ago', of: daysFrom(-7) },
  { name: '30 days ago', of: daysFrom(-30) },
  { name: 'Start of the month', of: now => new Date(now.getFullYear(), now.getMonth(), 1) },
  { name: 'End of today', of: daysFrom(1) },
  { name: 'In 7 days', of: daysFrom(8) },
]
