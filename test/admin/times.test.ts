import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CHART_DAYS, lastDays, toIsoDay } from '../../src/admin/parts/chart-days.ts'
import { formatDay, formatDuration, formatZonedTime, relativeTime, utcTime } from '../../src/admin/parts/times.ts'
import { QUICK_TIMES, toIso, toLocal } from '../../src/admin/process/filter/times.ts'
import { costAtEnd, formatDollars, monthBeside } from '../../src/admin/usage/months.ts'
import { formatZone } from '../../src/admin/user/user-rules.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/time-units.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const times = fc.integer({ min: Date.UTC(2000), max: Date.UTC(2060) })

test('the days of a chart are as many as it covers, each once, up to today, also where the clocks change', () => {
  expect(lastDays(Date.parse('2026-11-01T23:30:00-05:00'), 3)).toEqual(['2026-10-30', '2026-10-31', '2026-11-01'])
  expect(lastDays(Date.parse('2026-03-09T00:30:00-04:00'), 3)).toEqual(['2026-03-07', '2026-03-08', '2026-03-09'])
  fc.assert(
    fc.property(times, now => {
      const days = lastDays(now, CHART_DAYS)
      expect(new Set(days).size).toBe(CHART_DAYS)
      expect(days).toEqual(days.toSorted())
      expect(days.at(-1)).toBe(toIsoDay(now))
      expect(Date.parse(days.at(-1) ?? '') - Date.parse(days[0] ?? '')).toBe((CHART_DAYS - 1) * DAY_MS)
    }),
  )
})

test.each([
  [0, '0 ms'],
  [120.4, '120 ms'],
  [999.7, '1 s'],
  [1_000, '1 s'],
  [59_999, '59 s'],
  [61_000, '1 min 1 s'],
  [HOUR_MS + 5 * MINUTE_MS + 9_000, '1 h 5 min'],
  [2 * DAY_MS, '2 d'],
  [2 * DAY_MS + 3 * HOUR_MS + MINUTE_MS, '2 d 3 h'],
  [DAY_MS + 5_000, '1 d'],
])('%d ms is %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words)
})

test('a time near now is shown by its distance in whole units, and one beyond 45 days as a date', () => {
  const words = (distance: number) => relativeTime(NOW + distance, NOW)
  expect([words(0), words(-59_999), words(-MINUTE_MS), words(-119_999)].map(each => /\d+/.exec(each)?.[0])).toEqual([
    undefined,
    '59',
    '1',
    '1',
  ])
  expect(words(3 * HOUR_MS)).toMatch(/3/)
  expect(words(45 * DAY_MS)).toMatch(/45/)
  expect(words(46 * DAY_MS)).toBe(formatZonedTime(NOW + 46 * DAY_MS))
  expect(words(-46 * DAY_MS)).toBe(formatZonedTime(NOW - 46 * DAY_MS))
  expect(utcTime(NOW)).toBe('2026-11-22 12:00:00 UTC')
})

test('a time in a filter comes back from its input as it was, to the minute', () => {
  fc.assert(
    fc.property(times, ms => {
      const minute = Math.floor(ms / MINUTE_MS) * MINUTE_MS
      const isTwice = [1, -1].some(way => toLocal(minute) === toLocal(minute + way * HOUR_MS))
      if (isTwice) return
      expect(Date.parse(toIso(toLocal(minute)))).toBe(minute)
      expect(toLocal(new Date(minute).toISOString())).toBe(toLocal(minute))
    }),
  )
  expect([toLocal('soon'), toLocal(null), toLocal(undefined)]).toEqual(['', '', ''])
})

test('the quick times of a stored value are where their names say, on a day of 25 hours, too', () => {
  const now = new Date('2026-11-01T22:15:00-05:00')
  const at = Object.fromEntries(QUICK_TIMES.map(({ name, of }) => [name, toLocal(of(now).getTime())]))
  expect(at).toEqual({
    Now: '2026-11-01T22:15',
    'An hour ago': '2026-11-01T21:15',
    'Start of today': '2026-11-01T00:00',
    'Start of yesterday': '2026-10-31T00:00',
    '7 days ago': '2026-10-25T00:00',
    '30 days ago': '2026-10-02T00:00',
    'Start of the month': '2026-11-01T00:00',
    'Start of tomorrow': '2026-11-02T00:00',
    'In 7 days': '2026-11-08T00:00',
  })
})

test('the month before the next month is the same month, in each year', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1990, max: 2090 }), fc.integer({ min: 1, max: 12 }), (year, month) => {
      const text = `${year}-${String(month).padStart(2, '0')}`
      expect(monthBeside(text, 0)).toBe(text)
      expect(monthBeside(monthBeside(text, 1), -1)).toBe(text)
    }),
  )
  expect([monthBeside('2026-12', 1), monthBeside('2026-01', -1)]).toEqual(['2027-01', '2025-12'])
})

test('a cost below a cent is not shown as nothing', () => {
  expect(
    [formatDollars(0), formatDollars(0.0012), formatDollars(12)].map(each => each.replace(/[^\d.,]/g, '')),
  ).toEqual(['0.00', '0.0012', '12.00'])
})

test('the estimate of a month is shown once its first day is over, until it has ended', () => {
  const at = (time: string) => costAtEnd('2026-11', 6, Date.parse(time))
  expect(at('2026-11-01T23:59:59Z')).toBeUndefined()
  expect(at('2026-11-02T00:00:00Z')).toBe(180)
  expect(at('2026-11-16T00:00:00Z')).toBe(12)
  expect(at('2026-11-30T23:59:59.999Z')).toBeCloseTo(6)
  expect(at('2026-12-01T00:00:00Z')).toBeUndefined()
})

test('a day of a chart is shown in words in any zone, and text stays as it is', () => {
  expect(formatDay('2026-10-27')).toMatch(/27.*2026|2026.*27/)
  expect(formatDay('2026-10-27')).not.toContain('2026-10')
  for (const text of ['27 Oct, 14:00', '', '2026-10']) expect(formatDay(text)).toBe(text)
})

test('the offset of a zone is shown as such, and a zone with a name by its name', () => {
  expect(['+0530', '-03:00', '+0000', 'Asia/Kolkata', ''].map(formatZone)).toEqual([
    ...['UTC+05:30', 'UTC-03:00', 'UTC+00:00', 'Asia/Kolkata', ''],
  ])
})
