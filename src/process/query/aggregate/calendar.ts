import { DAY_MS, MINUTE_MS } from '../../../time-units.ts'

export const CALENDAR_UNITS = ['day', 'week', 'month'] as const
export type CalendarUnit = (typeof CALENDAR_UNITS)[number]

/** A way to group times: by days, weeks (from Monday on) or months of a time zone. */
export interface Calendar {
  unit: CalendarUnit
  timeZone: string
}

/** The offset of a zone from UTC from a time on. The first offset counts for all times before it, too. */
export interface ZoneOffset {
  from: number
  offsetMs: number
}

/** Some zones have left summer time for a month, so looking at each week misses no change. */
const STEP_MS = 7 * DAY_MS

/** Zones with new names, of which `Intl` lists the old ones. */
const RENAMED = ['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Yangon', 'Asia/Ho_Chi_Minh', 'Europe/Kyiv', 'UTC']

/** Lists names of time zones to suggest. */
export const listTimeZones = (): readonly string[] => [...RENAMED, ...Intl.supportedValuesOf('timeZone')]

export function isTimeZone(name: string): boolean {
  // Offsets such as +05:30 are time zones for `Intl`, and not in the IANA database.
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(name)) return false
  try {
    return getFormat(name) !== undefined
  } catch {
    return false
  }
}

/** The formats of zones, by their names in small letters. There are some hundred: names that do not exist throw. */
const formatsByZone = new Map<string, Intl.DateTimeFormat>()

/** Returns the format of a zone, made once: each takes memory outside of the heap, and a filter may have thousands of relative times. */
function getFormat(timeZone: string): Intl.DateTimeFormat {
  const key = timeZone.toLowerCase()
  const format =
    formatsByZone.get(key) ?? new Intl.DateTimeFormat('en-US', { timeZone: key, timeZoneName: 'longOffset' })
  formatsByZone.set(key, format)
  return format
}

/** Matches `GMT`, `GMT+05:30`, and for old times `GMT-00:44:30`. */
const OFFSET = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/

/** Returns how far a zone is ahead of UTC at a time. */
export const getOffset = (timeZone: string, ms: number): number =>
  timeZone === 'UTC' ? 0 : readOffset(getFormat(timeZone), ms)

function readOffset(format: Intl.DateTimeFormat, ms: number): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(format.format(ms)) ?? []
  const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000
  return sign === '-' ? -offset : offset
}

const offsetsByKey = new Map<string, ZoneOffset[]>()
/** The zones that are cached: some hundreds exist, most with some hundred changes. */
const CACHED_ZONES_MAX = 200

/** Lists the offsets of a zone between two times, in their order. */
export function listZoneOffsets(timeZone: string, from: number, to: number): ZoneOffset[] {
  if (timeZone === 'UTC') return [{ from, offsetMs: 0 }]
  const key = `${timeZone} ${from} ${to}`
  const found = offsetsByKey.get(key)
  if (found !== undefined) return found
  const format = getFormat(timeZone)
  const offsets: ZoneOffset[] = [{ from, offsetMs: readOffset(format, from) }]
  for (let [at, before] = [from, offsets[0]?.offsetMs ?? 0]; at < to; at += STEP_MS) {
    const offsetMs = readOffset(format, at + STEP_MS)
    if (offsetMs === before) continue
    offsets.push({ from: findChange(format, at, at + STEP_MS, before), offsetMs })
    before = offsetMs
  }
  if (offsetsByKey.size >= CACHED_ZONES_MAX) offsetsByKey.clear()
  offsetsByKey.set(key, offsets)
  return offsets
}

/** Finds the time of a change of the offset, which is on a whole minute. */
function findChange(format: Intl.DateTimeFormat, from: number, to: number, before: number): number {
  let [low, high] = [Math.floor(from / MINUTE_MS), Math.ceil(to / MINUTE_MS)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (readOffset(format, middle * MINUTE_MS) === before) low = middle
    else high = middle
  }
  return high * MINUTE_MS
}

/** Formats the first day of a bucket: a number of days since 1970, of weeks since the one in which 1970 began, or a month as text. */
export function formatFirstDay(unit: CalendarUnit, bucket: string | number): string {
  if (unit === 'month') return `${bucket}-01`
  const day = unit === 'day' ? Number(bucket) : Number(bucket) * 7 - DAYS_AFTER_MONDAY
  return new Date(day * DAY_MS).toISOString().slice(0, 10)
}

/** The days from Monday to January 1, 1970, which was a Thursday. */
export const DAYS_AFTER_MONDAY = 3
