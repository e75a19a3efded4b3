import type { RelativeTime } from 'caseworker'
import { HOUR_MS, MINUTE_MS } from '../../parts/times.ts'

/** The start of a relative time: the time of the request, or the beginning of its day. */
type TimeAnchor = 'now' | 'today'
export type TimeUnit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'

/** A relative time as it is edited. A negative count is before its anchor. */
export interface TimeOffset {
  anchor: TimeAnchor
  count: number
  unit: TimeUnit
}

const DESIGNATORS: Record<TimeUnit, string> = {
  minute: 'TM',
  hour: 'TH',
  day: 'D',
  week: 'W',
  month: 'M',
  year: 'Y',
}
export const TIME_UNITS = Object.keys(DESIGNATORS) as TimeUnit[]
/** A day has no hours to count from its beginning. */
export const DAY_UNITS = TIME_UNITS.filter(unit => !DESIGNATORS[unit].startsWith('T'))

/** The API takes no more. */
export const OFFSET_COUNT_MAX = 999_999

/** A duration of one unit, which the form can edit. Other durations are shown, and stay as they are. */
const DURATION = /^([+-]?)P(?:(\d{1,6})([YMWD])|(T)(\d{1,6})([HM]))$/

export const isRelativeTime = (value: unknown): value is RelativeTime =>
  typeof value === 'object' && value !== null && ('now' in value || 'today' in value)

/** Parses a relative time for its form; undefined if no form has it. `buildRelativeTime` is its inverse. */
export function parseRelativeTime(value: RelativeTime): TimeOffset | undefined {
  const [anchor, duration] = 'now' in value ? (['now', value.now] as const) : (['today', value.today] as const)
  const match = DURATION.exec(duration)
  if (!match) return undefined
  const [, sign, ofDays, day = '', time = '', ofTime, hour = ''] = match
  const unit = TIME_UNITS.find(each => DESIGNATORS[each] === time + day + hour)
  // The fallback avoids -0: an offset of nothing is not before its anchor.
  const count = Number(ofDays ?? ofTime) * (sign === '-' ? -1 : 1) || 0
  return unit && { anchor, count, unit }
}

/** Days begin in `timeZone`: that of the reader who builds the filter. */
export function buildRelativeTime({ anchor, count, unit }: TimeOffset, timeZone: string): RelativeTime {
  const designator = DESIGNATORS[unit]
  const amount = Math.abs(count)
  const digits = designator.startsWith('T') ? `T${amount}${designator.slice(1)}` : `${amount}${designator}`
  const duration = count === 0 ? 'P0D' : `${count < 0 ? '-' : ''}P${digits}`
  return anchor === 'now' ? { now: duration } : { today: duration, timeZone }
}

/** "7 days ago", "tomorrow", "2 months before today". */
export function formatRelativeTime(value: RelativeTime): string {
  const offset = parseRelativeTime(value)
  if (!offset) return 'now' in value ? `now ${value.now}` : `today ${value.today}`
  const { anchor, count, unit } = offset
  const amount = `${Math.abs(count).toLocaleString()} ${unit}${Math.abs(count) === 1 ? '' : 's'}`
  if (count === 0) return anchor
  if (anchor === 'now') return count < 0 ? `${amount} ago` : `${amount} from now`
  if (unit === 'day' && Math.abs(count) === 1) return count < 0 ? 'yesterday' : 'tomorrow'
  return `${amount} ${count < 0 ? 'before' : 'after'} today`
}

/** The most frequent relative times. */
export const RELATIVE_TIMES: readonly TimeOffset[] = [
  { anchor: 'now', count: 0, unit: 'day' },
  { anchor: 'now', count: -1, unit: 'hour' },
  { anchor: 'today', count: 0, unit: 'day' },
  { anchor: 'today', count: -1, unit: 'day' },
  { anchor: 'today', count: 1, unit: 'day' },
  { anchor: 'today', count: -7, unit: 'day' },
  { anchor: 'today', count: -30, unit: 'day' },
  { anchor: 'today', count: 7, unit: 'day' },
]

const MINUTES_LENGTH = '2026-03-31T09:30'.length

/** Formats epoch milliseconds or ISO 8601 for the browser's input of a time: in the reader's zone, to the minute. */
export function toLocal(value: unknown): string {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) return ''
  const offset = new Date(ms).getTimezoneOffset() * MINUTE_MS
  return new Date(ms - offset).toISOString().slice(0, MINUTES_LENGTH)
}

export const toIso = (local: string): string => new Date(local).toISOString()

const daysFrom = (days: number) => (now: Date) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)

/** The most frequent times of a value that is stored, where no relative one may stand; days begin in the reader's zone. */
export const QUICK_TIMES: readonly { name: string; of: (now: Date) => Date }[] = [
  { name: 'Now', of: now => now },
  { name: 'An hour ago', of: now => new Date(now.getTime() - HOUR_MS) },
  { name: 'Start of today', of: daysFrom(0) },
  { name: 'Start of yesterday', of: daysFrom(-1) },
  { name: '7 days ago', of: daysFrom(-7) },
  { name: '30 days ago', of: daysFrom(-30) },
  { name: 'Start of the month', of: now => new Date(now.getFullYear(), now.getMonth(), 1) },
  { name: 'Start of tomorrow', of: daysFrom(1) },
  { name: 'In 7 days', of: daysFrom(7) },
]
