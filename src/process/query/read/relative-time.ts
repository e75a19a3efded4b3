import { isObject } from '../../../http/shapes.ts'
import { getDeclaredAttributes } from '../../../procedure/declared.ts'
import { listWords, suggest } from '../../../suggest.ts'
import { DAY_MS, MINUTE_MS } from '../../../time-units.ts'
import { getFieldKind } from '../../fields.ts'
import { getOffset, isTimeZone, listTimeZones } from '../aggregate/calendar.ts'
import type { QueryField, Scalar } from './condition.ts'
import { appendPointer, type ComparedField, type FilterContext } from './filter-context.ts'
import { shortenName } from './shortened.ts'

const HINT_CHARACTERS_MAX = 200
const WORDS = ['now', 'today'] as const
const MEMBERS = [...WORDS, 'timeZone']

/** Tells whether a value is a time that is relative to the request: `{"now": "-P7D"}`, `{"today": "P0D"}`. */
export const isRelativeTime = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && WORDS.some(word => Object.hasOwn(value, word))

/** The form of a field's values: a day as text, a time as epoch milliseconds, or a time as text. */
type TimeForm = 'day' | 'epoch' | 'text'

function findTimeForm(field: QueryField, { procedure }: FilterContext): TimeForm | null {
  if (field.root !== undefined) return getFieldKind(field.root) === 'time' ? 'epoch' : null
  const type = getDeclaredAttributes(procedure).get(field.attribute)?.type
  return type === 'date' ? 'day' : type === 'datetime' ? 'epoch' : type === 'datetimeISO8601' ? 'text' : null
}

/** Returns the value of a relative time, ready to compare; none if it has a fault. */
export function readRelativeTime(
  sent: Record<string, unknown>,
  { field, key, path, isEqual }: ComparedField & { isEqual: boolean },
  context: FilterContext,
): Scalar[] {
  const form = findTimeForm(field, context)
  const [word, ...others] = WORDS.filter(each => Object.hasOwn(sent, each))
  if (word === undefined) return []
  if (form === null) {
    context.fail(path, `"${key}" is not declared as a date or as a time: "${word}" is compared with those only`)
    return []
  }
  if (others.length > 0) context.fail(path, 'either "now" or "today" is expected, not both')
  for (const name of Object.keys(sent).filter(each => !MEMBERS.includes(each)))
    context.fail(
      appendPointer(path, name),
      `unknown field "${shortenName(name)}"`,
      () => suggest(name, MEMBERS) ?? listWords(MEMBERS),
    )
  if (word === 'now' && form === 'day') {
    context.fail(path, `"${key}" is a day, and has no time`, JSON.stringify({ today: suggestDuration(sent.now) }))
    return []
  }
  if (isEqual && form !== 'day') {
    const message = `"${key}" is a time, and hardly any is equal to this one: compare it by >=, >, < or <=`
    context.fail(path, message, JSON.stringify({ '>=': sent }).slice(0, HINT_CHARACTERS_MAX))
    return []
  }
  const zone = sent.timeZone ?? 'UTC'
  if (typeof zone !== 'string' || !isTimeZone(zone)) {
    const name = String(zone)
    const message = `${JSON.stringify(shortenName(name))} is not a time zone of the IANA database`
    context.fail(appendPointer(path, 'timeZone'), message, () => suggest(name, listTimeZones()) ?? 'Asia/Kolkata')
    return []
  }
  const duration = readDuration(sent[word])
  if (duration === null) {
    context.fail(
      appendPointer(path, word),
      `"${word}" must be an ISO 8601 duration, such as -P7D for seven days ago`,
      '-P7D',
    )
    return []
  }
  if (word === 'today' && duration.ms !== 0) {
    context.fail(appendPointer(path, word), '"today" is moved by years, months, weeks and days only', 'now')
    return []
  }
  const ms = addDuration(context.now(), duration, zone, word === 'today')
  const value = Number.isNaN(ms) ? null : FORMATS[form](ms, zone)
  if (value !== null) return [value]
  context.fail(appendPointer(path, word), 'lies before the year 1 or after the year 9999')
  return []
}

const suggestDuration = (sent: unknown): string =>
  typeof sent === 'string' && readDuration(sent)?.ms === 0 ? sent : 'P0D'

interface Duration {
  months: number
  days: number
  ms: number
}

const DURATION =
  /^([+-]?)P(?=.)(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=.)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?$/

function readDuration(sent: unknown): Duration | null {
  const match = typeof sent === 'string' ? DURATION.exec(sent) : null
  if (match === null) return null
  const [, sign, ...counts] = match
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = counts.map(count =>
    count === undefined ? 0 : Number(count) * (sign === '-' ? -1 : 1),
  )
  return { months: years * 12 + months, days: weeks * 7 + days, ms: ((hours * 60 + minutes) * 60 + seconds) * 1_000 }
}

/** Adds a duration. Months and days follow the calendar of the zone, and so its summer time; hours, minutes and seconds are exact. */
function addDuration(now: number, { months, days, ms }: Duration, zone: string, fromMidnight: boolean): number {
  if (months === 0 && days === 0 && !fromMidnight) return now + ms
  const wall = new Date(now + getOffset(zone, now))
  if (fromMidnight) wall.setUTCHours(0, 0, 0, 0)
  const day = wall.getUTCDate()
  wall.setUTCDate(1)
  wall.setUTCMonth(wall.getUTCMonth() + months)
  // A month after January 31 is the end of February.
  wall.setUTCDate(Math.min(day, new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() + 1, 0)).getUTCDate()))
  wall.setUTCDate(wall.getUTCDate() + days)
  return toInstant(wall.getTime(), zone) + ms
}

/** The wall times of which a zone has an offset a day before and after. A `Date` ends at 8.64e15. */
const WALL_MS_MAX = 8.64e15 - 2 * DAY_MS

/** Returns when clocks show a wall time: of two such times the first; a time that summer time leaves out is as long after the change. */
function toInstant(wall: number, zone: string): number {
  if (Number.isNaN(wall) || Math.abs(wall) > WALL_MS_MAX) return Number.NaN
  const before = wall - getOffset(zone, wall - DAY_MS)
  const after = wall - getOffset(zone, wall + DAY_MS)
  return before + getOffset(zone, before) !== wall && after + getOffset(zone, after) === wall ? after : before
}

const SECONDS_LENGTH = '2026-03-31T09:30:00'.length
const DAY_LENGTH = '2026-03-31'.length
const FIRST_MS = Date.parse('0001-01-02T00:00:00Z')
const LAST_MS = Date.parse('9999-12-30T00:00:00Z')

/** Formats what clocks of the zone show, as ISO 8601 without an offset; null if the year does not have four digits. */
const formatWallTime = (ms: number, zone: string): string | null =>
  ms < FIRST_MS || ms > LAST_MS ? null : new Date(ms + getOffset(zone, ms)).toISOString().slice(0, SECONDS_LENGTH)

const FORMATS: Record<TimeForm, (ms: number, zone: string) => Scalar | null> = {
  epoch: ms => (ms < FIRST_MS || ms > LAST_MS ? null : ms),
  day: (ms, zone) => formatWallTime(ms, zone)?.slice(0, DAY_LENGTH) ?? null,
  text: (ms, zone) => {
    const text = formatWallTime(ms, zone)
    return text === null ? null : text + formatOffset(getOffset(zone, ms))
  },
}

function formatOffset(offsetMs: number): string {
  if (offsetMs === 0) return 'Z'
  const minutes = Math.abs(Math.trunc(offsetMs / MINUTE_MS))
  const padded = (count: number) => String(count).padStart(2, '0')
  return `${offsetMs < 0 ? '-' : '+'}${padded(Math.floor(minutes / 60))}:${padded(minutes % 60)}`
}
