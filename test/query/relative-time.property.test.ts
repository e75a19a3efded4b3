import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseFilter } from '../../src/process/query/read/filter.ts'
import { DAY_MS } from '../../src/time-units.ts'
import { attribute, LEADS } from '../support/leads.ts'
import { comparedWith, type RelativeTime, relativeTime, ZONES } from '../support/relative-times.ts'
import { IS_CHAOS } from '../support/seed.ts'

// A filter compares with what clocks show: over changes to summer time, ends of months, and a day that was left out.

const RUNS = Number(env.RUNS || (IS_CHAOS ? 100_000 : 1_500))

const TYPES = ['date', 'datetime', 'datetimeISO8601'] as const
const procedure = { ...LEADS, attributes: TYPES.map(type => attribute(type, type)), primaryKey: null, slots: {} }
const FIELDS = [...TYPES, 'createdAt'] as const

/** Mostly some days around a change of clocks, or the end of a month. */
const CHANGES = [
  ...['2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z', '2011-12-30T09:59:59Z', '2026-04-04T15:00:00Z'],
  ...['2026-10-03T15:30:00Z', '2018-11-04T03:00:00Z', '2024-02-29T12:00:00Z', '2026-01-31T23:59:59Z'],
].map(Date.parse)
const moments = fc.oneof(
  fc
    .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -200_000, max: 200_000 }))
    .map(([at, seconds]) => at + seconds * 1_000),
  fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2040, 0) }),
)
const asked = fc
  .constantFrom(...FIELDS)
  .chain(field => fc.tuple(fc.constant(field), relativeTime(field === 'date' ? 'day' : 'time'), moments))

/** Days before and after a change of clocks, at nearly the time of the change. */
const nearChange = fc
  .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -3, max: 3 }), fc.integer({ min: -150, max: 150 }))
  .chain(([at, days, minutes]) =>
    fc
      .constantFrom(...ZONES)
      .map((timeZone): [(typeof FIELDS)[number], RelativeTime, number] => [
        'datetime',
        { now: `${days < 0 ? '-' : ''}P${Math.abs(days)}D`, timeZone },
        at - days * DAY_MS + minutes * 60_000,
      ]),
  )

it('a time relative to the request is as the clocks of its zone say', () => {
  fc.assert(
    fc.property(fc.oneof(asked, nearChange), ([field, sent, now]) => {
      const { condition, faults } = parseFilter({ [field]: { '>=': sent } }, procedure, {
        users: new Map(),
        now: () => now,
      })
      expect(faults).toEqual([])
      expect(
        Reflect.get(condition, 'value'),
        `${field} ${JSON.stringify(sent)} at ${new Date(now).toISOString()}`,
      ).toBe(comparedWith(sent, field, now))
    }),
    { numRuns: RUNS },
  )
})
