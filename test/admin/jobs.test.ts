import type { BackgroundJobEntry, Procedure } from 'caseworker'
import { describe, expect, it } from 'vitest'
import { formatEntry } from '../../src/admin/parts/background-job/entry-text.ts'
import { formatChanging, formatPlanCounts } from '../../src/admin/parts/background-job/plan-text.ts'
import { isJobPaused, listParts } from '../../src/admin/parts/background-job/statuses.ts'

const MEERA = '01935c1e-5a00-7008-9b1c-3d4e5f6a7b8c'
const procedure = {
  name: 'Enquiry',
  states: [{ shortId: 'WON', name: 'Won' }],
  attributes: [
    { shortId: 'city', name: 'City', type: 'string' },
    { shortId: 'amount', name: 'Amount', type: 'float' },
    { shortId: 'visit_at', name: 'Visit', type: 'datetime' },
    { shortId: 'surveyor', name: 'Surveyor', type: 'user' },
  ],
} as unknown as Procedure
const names = { procedure, getUserName: (id: string) => (id === MEERA ? 'Meera Iyer' : id) }
const entry = (apiType: string, apiData: object) => ({ data: { apiType, apiData } }) as BackgroundJobEntry
const update = (processUpdate: object) => entry('PROCESS_UPDATE', { processUpdate })

it('an entry is described in a line by what it requests', () => {
  const asked = update({ status: 'CANCELLED', nextActionAt: null, data: { surveyor: MEERA, city: '', amount: 3301 } })
  expect(formatEntry(asked, names)).toBe(
    'Status → Cancelled, Next action → nothing, Surveyor → Meera Iyer, City → nothing, Amount → 3301',
  )
  expect(formatEntry(update({ data: { gone: true, other: ['a', 'b'] } }), names)).toBe('gone → Yes, other → a, b')
  expect(formatEntry(update({ data: { visit_at: Date.UTC(2026, 10, 26, 17) } }), names)).toMatch(/^Visit → .*2026/)
  expect(formatEntry(update({ data: { city: 'x'.repeat(90) } }), names)).toBe(`City → ${'x'.repeat(39)}…`)
  expect(formatEntry(entry('PROCESS_CREATE', { processCreate: { data: { city: 'Oslo' } } }), names)).toBe(
    'Create · City: Oslo',
  )
  expect(formatEntry(entry('PROCESS_UPSERT', { processUpsert: { data: { city: 'Oslo' } } }), names)).toBe(
    'Create or change · City: Oslo',
  )
  expect(formatEntry(entry('PROCESS_DELETE', {}), names)).toBe('Delete')
  expect(formatEntry(entry('TEMPLATE_MESSAGE', { templateName: 'win_back' }), names)).toBe('Send win_back')
})

it('the remaining entries of a paused job are not in progress', () => {
  const counts = { SUCCESS: 2, ERROR: 0, INVALID: 0, CANCELLED: 0, IN_PROGRESS: 3, NOT_STARTED: 5 }
  const left = (isWaiting: boolean) =>
    listParts(counts, isWaiting)
      .slice(-2)
      .map(({ label, color }) => `${label}: ${color}`)
  expect(left(false)).toEqual(['In progress: info', 'Not started: plain'])
  expect(left(true)).toEqual(['Paused: warn', 'Not started: warn'])
  expect([isJobPaused({}), isJobPaused({ pausedBecause: 'the plugin is stopped' })]).toEqual([false, true])
})

describe('the summary of a dry run', () => {
  const plan = (total: number, counts: object, summary?: object) =>
    ({
      plan: { job: { total }, counts: { SUCCESS: 0, ERROR: 0, INVALID: 0, CANCELLED: 0, ...counts } },
      summary: summary && { create: 0, update: 0, same: 0, delete: 0, restore: 0, send: 0, none: 0, ...summary },
    }) as unknown as Parameters<typeof formatPlanCounts>[0][number]

  it('counts the entries by their effect, over all jobs of a file', () => {
    const counted = plan(125, { SUCCESS: 123, ERROR: 2 }, { update: 120, same: 3, fail: 2 })
    expect(formatPlanCounts([counted])).toBe(
      'Of 125 entries 120 would be changed, 3 given the values that they have; 2 would fail.',
    )
    const more = plan(10, { SUCCESS: 9, INVALID: 1 }, { create: 4, update: 3, none: 2, fail: 1 })
    expect(formatPlanCounts([counted, more])).toBe(
      'Of 135 entries 4 would be created, 123 changed, 3 given the values that they have, 2 left unchanged; 3 would fail.',
    )
  })

  it('counts by success alone where there are too many entries to be read', () => {
    expect(formatPlanCounts([plan(90_000, { SUCCESS: 89_999, ERROR: 1 })])).toBe(
      'Of 90,000 entries at most 89,999 would be applied; 1 would fail.',
    )
    expect(formatChanging([plan(90_000, { SUCCESS: 89_999, ERROR: 1 })], 'row', 'rows')).toBe('at most 89,999 rows')
    expect(formatChanging([plan(3, { SUCCESS: 3 }, { update: 1, same: 2 })], 'row', 'rows')).toBe('1 row')
    expect(formatPlanCounts([plan(1, { ERROR: 1 }, { fail: 1 })])).toBe('Of 1 entry 1 would fail.')
  })
})
