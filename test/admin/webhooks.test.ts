import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getProcedureShortId, isSubscribed, whyNotSent } from '../../src/admin/event/event-text.ts'
import { attemptColumns, listSentHeaders } from '../../src/admin/webhook/attempts.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/time-units.ts'

const times = fc.integer({ min: Date.UTC(2024), max: Date.UTC(2030) })
const attemptsBefore = (now: number) =>
  fc
    .array(fc.tuple(fc.integer({ min: 0, max: 30 * DAY_MS }), fc.boolean()), { maxLength: 60 })
    .chain(all => fc.constantFrom(1, 30, 700).map(shrink => all.map(([ago, ok]) => [ago / shrink, ok] as const)))
    .map(all => all.map(([ago, isDelivered]) => ({ at: Math.floor(now - ago), isDelivered })))

test('each attempt is in one column of the chart, and no column has the label of another, also where clocks change', () => {
  const autumn = fc.integer({ min: -DAY_MS, max: 3 * DAY_MS }).map(ms => Date.parse('2026-11-01T06:00:00Z') + ms)
  fc.assert(
    fc.property(
      fc.oneof(times, autumn).chain(now => fc.tuple(fc.constant(now), attemptsBefore(now))),
      ([now, attempts]) => {
        const { columns } = attemptColumns(attempts, true, now)
        expect(new Set(columns.map(({ label }) => label)).size).toBe(columns.length)
        expect(columns.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(
          attempts.filter(({ isDelivered }) => isDelivered).length,
        )
        expect(columns.reduce((sum, { failed }) => sum + failed, 0)).toBe(
          attempts.filter(({ isDelivered }) => !isDelivered).length,
        )
        expect(columns.length).toBeGreaterThanOrEqual(14)
        expect(columns.length).toBeLessThanOrEqual(49)
      },
    ),
  )
})

test('the unit of a chart follows from its oldest attempt, and an oldest unit that is only partly known is left out', () => {
  const now = Date.parse('2026-11-22T12:30:20-05:00')
  const every = (ms: number, count: number) =>
    Array.from({ length: count }, (_, nth) => ({ at: now - nth * ms, isDelivered: true }))
  const figures = (ms: number, count: number, areAll: boolean) => {
    const { unit, columns } = attemptColumns(every(ms, count), areAll, now)
    return [unit, columns.length, columns.reduce((sum, { delivered }) => sum + delivered, 0)]
  }
  expect(figures(HOUR_MS, 3, true)).toEqual(['hour', 24, 3])
  expect(figures(HOUR_MS, 30, true)).toEqual(['hour', 30, 30])
  expect(figures(DAY_MS, 5, true)).toEqual(['day', 14, 5])
  expect(figures(DAY_MS, 20, true)).toEqual(['day', 20, 20])
  expect(figures(3_000, 1_000, false)).toEqual(['minute', 50, 987])
  expect(figures(MINUTE_MS, 1_000, false)).toEqual(['hour', 17, 991])
  expect(figures(1, 1_000, false)).toEqual(['minute', 1, 1_000])
  expect(attemptColumns([], true, now)).toMatchObject({ unit: 'hour', columns: { length: 24 } })
})

test('the page says why an event was not sent to a webhook', () => {
  const timestamp = '2026-11-22T12:00:00.000Z'
  const before = Date.parse(timestamp) - 1
  const why = (webhook: object, position: number, hasMore = false) =>
    whyNotSent({ enabled: true, createdAt: before, ...webhook }, { sequence: 7, timestamp }, { position, hasMore })
  expect(why({ createdAt: before + 2 }, 6)).toBe('The webhook was made after the event')
  expect(why({}, 6)).toBe('Waits for its turn')
  expect(why({ enabled: false }, 6)).toBe('The webhook is off')
  expect(why({}, 7, true)).toBe('Not among its newest attempts')
  expect(why({}, 7)).toMatch(/^It was not sent/)
})

test('a webhook receives an event by its type and procedure; members that an event lacks exclude nothing', () => {
  const event = { type: 'process.created' } as const
  expect(isSubscribed({ types: null, procedures: null }, event, 'p1')).toBe(true)
  expect(isSubscribed({ types: ['process.created'], procedures: ['p1'] }, event, 'p1')).toBe(true)
  expect(isSubscribed({ types: ['process.updated'], procedures: null }, event, 'p1')).toBe(false)
  expect(isSubscribed({ types: null, procedures: ['p2'] }, event, 'p1')).toBe(false)
  expect(isSubscribed({ types: null, procedures: ['p2'] }, event, undefined)).toBe(true)
  const toData = (data: object) => getProcedureShortId({ data } as unknown as Parameters<typeof getProcedureShortId>[0])
  expect(toData({ process: { procedureShortId: 'enquiry' } })).toBe('enquiry')
  expect([toData({ process: null }), toData({ message: {} })]).toEqual([undefined, undefined])
})

test('the headers of an attempt are those that follow from it', () => {
  const headers = listSentHeaders({ event: 'evt_1c2d3e4f5a6b_23_mhc3v0a4', at: 1_795_276_206_999, sequence: 23 })
  expect(headers.split('\n').slice(0, 3)).toEqual([
    'webhook-id: evt_1c2d3e4f5a6b_23_mhc3v0a4',
    'webhook-timestamp: 1795276206',
    'webhook-sequence: 23',
  ])
})
