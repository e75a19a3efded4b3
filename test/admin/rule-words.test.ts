import type { Procedure, RelativeTime } from 'caseworker'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listFilterFields } from '../../src/admin/process/filter/fields.ts'
import { formatFilter } from '../../src/admin/process/filter/filter-text.ts'
import { buildQuery, parseTree } from '../../src/admin/process/filter/filter-tree.ts'
import {
  buildRelativeTime,
  OFFSET_COUNT_MAX,
  parseRelativeTime,
  TIME_UNITS,
} from '../../src/admin/process/filter/times.ts'

const procedure = {
  states: [
    { shortId: 'NEW', name: 'New' },
    { shortId: 'WON', name: 'Won' },
    { shortId: 'LOST', name: 'Lost' },
  ],
  attributes: [
    { shortId: 'city', name: 'City', type: 'string' },
    { shortId: 'urgent', name: 'Urgent', type: 'boolean' },
  ],
} as unknown as Procedure
const users = [{ id: 'u1', displayName: 'Meera Iyer', username: 'meera' }] as Parameters<typeof listFilterFields>[1]
const describeFilter = (where: Parameters<typeof parseTree>[0]) =>
  formatFilter(parseTree(where), listFilterFields(procedure, users))

test('a filter is described in short, condition by condition, with names instead of ids', () => {
  expect(describeFilter({ state: 'NEW', city: { startsWith: 'Os' }, urgent: true, assignedTo: 'u1' })).toEqual([
    'State is New',
    'City starts with Os',
    'Urgent is Yes',
    'Assignee is Meera Iyer',
  ])
  expect(describeFilter({ state: { '!=': ['NEW', 'WON', 'LOST'] } })).toEqual(['State is none of New, Won, 1 more'])
  expect(describeFilter({ state: { '!=': 'NEW' } })).toEqual(['State is not New'])
  expect(describeFilter({ city: null })).toEqual(['City is not set'])
  expect(describeFilter({ createdAt: { '>=': Date.UTC(2026, 10, 24) } })[0]).toMatch(/^Created is from .*2026/)
  expect(describeFilter({ gone: 'x', state: [] })).toEqual(['gone is x', 'State is any of nothing'])
})

test('conditions joined by "or" are one part, and a group within others says how many it has', () => {
  expect(describeFilter({ or: [{ state: 'NEW' }, { city: 'Oslo' }] })).toEqual(['State is New or City is Oslo'])
  expect(describeFilter({ state: 'NEW', or: [{ city: 'Oslo' }, { city: 'Pune', urgent: false }] })).toEqual([
    'State is New',
    '3 conditions in a group',
  ])
  expect(describeFilter(undefined)).toEqual([])
})

test('a relative time is described in words', () => {
  const words = (value: RelativeTime) => describeFilter({ createdAt: { '>=': value } })[0]
  expect(words({ now: 'P0D' })).toBe('Created is from now')
  expect(words({ now: '-P7D' })).toBe('Created is from 7 days ago')
  expect(words({ now: 'PT1H' })).toBe('Created is from 1 hour from now')
  expect(words({ today: 'P0D' })).toBe('Created is from today')
  expect(words({ today: '-P1D', timeZone: 'Asia/Kolkata' })).toBe('Created is from yesterday')
  expect(words({ today: '-P2M' })).toBe('Created is from 2 months before today')
  expect(words({ now: '-P1M2D' })).toBe('Created is from now -P1M2D')
})

test('a relative time comes back from its form as it was, and a duration of several units has no form', () => {
  const offsets = fc.record({
    anchor: fc.constantFrom('now' as const, 'today' as const),
    count: fc.integer({ min: -OFFSET_COUNT_MAX, max: OFFSET_COUNT_MAX }),
    unit: fc.constantFrom(...TIME_UNITS),
  })
  fc.assert(
    fc.property(offsets, offset => {
      const again = parseRelativeTime(buildRelativeTime(offset, 'Asia/Kolkata'))
      expect(again).toEqual(offset.count === 0 ? { ...offset, unit: 'day' } : offset)
    }),
  )
  expect(parseRelativeTime({ now: '-PT36H' })).toEqual({ anchor: 'now', count: -36, unit: 'hour' })
  expect(parseRelativeTime({ now: '-P1M' })).toEqual({ anchor: 'now', count: -1, unit: 'month' })
  expect(parseRelativeTime({ now: '-PT1M' })).toEqual({ anchor: 'now', count: -1, unit: 'minute' })
  expect(['-P1M2D', 'P1DT2H', 'PT30S'].map(now => parseRelativeTime({ now }))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('a filter keeps its relative times, whoever wrote them', () => {
  for (const where of [
    { createdAt: { '>=': { now: '-P7D' } } },
    { visit_on: { today: 'P1D', timeZone: 'Asia/Kolkata' } },
    { visit_on: { '!=': { today: 'P0D' } }, updatedAt: { '<': { now: '-P1M2D' } } },
    { createdAt: { '>=': { today: '-P1M' }, '<': { today: 'P0D' } } },
  ])
    expect(buildQuery(parseTree(where))).toEqual(where)
})
