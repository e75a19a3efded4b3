import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatFirstDay, isTimeZone, listZoneOffsets } from '../../src/process/query/aggregate/calendar.ts'
import { DAY_MS } from '../../src/time-units.ts'

const END = Date.UTC(2100, 0, 1)
/** Zones with half hours, a day that was left out, summer time that pauses for a month, and none at all. */
const ZONES = [
  ...['UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'Europe/London', 'America/St_Johns', 'America/Sao_Paulo'],
  ...[
    'Africa/Casablanca',
    'Africa/Cairo',
    'Pacific/Apia',
    'Australia/Lord_Howe',
    'Antarctica/Troll',
    'Africa/Monrovia',
  ],
]

const getOffset = (zone: string, ms: number): number =>
  listZoneOffsets(zone, 0, END).findLast(({ from }, nth) => nth === 0 || from <= ms)?.offsetMs ?? 0

const toDay = (zone: string, ms: number): string =>
  formatFirstDay('day', Math.floor((ms + getOffset(zone, ms)) / DAY_MS))

/** Formats a time as `Intl` does. */
function clock(zone: string, ms: number): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return format.format(ms)
}

it.each(ZONES)('the calendar knows each change of the offset of %s from 1970 to 2100', zone => {
  for (const { from } of listZoneOffsets(zone, 0, END).slice(1))
    for (const ms of [from - DAY_MS, from - 1, from, from + DAY_MS]) expect(toDay(zone, ms)).toBe(clock(zone, ms))
})

it('the calendar finds the day of any time in any zone', () => {
  const times = fc.integer({ min: 0, max: END - 1 })
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), times, (zone, ms) => {
      expect(toDay(zone, ms)).toBe(clock(zone, ms))
    }),
    { numRuns: 3_000 },
  )
})

it('the calendar begins a week on Monday, and a month on its first day', () => {
  expect([-1, 0, 1].map(week => formatFirstDay('week', week))).toEqual(['1969-12-22', '1969-12-29', '1970-01-05'])
  expect(formatFirstDay('month', '2026-02')).toBe('2026-02-01')
})

it('the calendar accepts the IANA names of time zones, and no offsets', () => {
  expect([...ZONES, 'Asia/Calcutta', 'EST5EDT', 'Etc/GMT+5'].filter(zone => !isTimeZone(zone))).toEqual([])
  expect(['', '+05:30', 'Pune', 'Asia/Pune', 'GMT+5', 'x'.repeat(500)].filter(isTimeZone)).toEqual([])
})
