import type { Procedure } from 'caseworker'
import { expect, test } from 'vitest'
import { filterFieldsOf } from '../../src/admin/process/filter/fields.ts'
import { formatFilter } from '../../src/admin/process/filter/rule-words.ts'
import { treeOf } from '../../src/admin/process/filter/tree.ts'

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
const users = [{ id: 'u1', displayName: 'Meera Iyer', username: 'meera' }] as Parameters<typeof filterFieldsOf>[1]
const inWords = (where: Parameters<typeof treeOf>[0]) => formatFilter(treeOf(where), filterFieldsOf(procedure, users))

test('a filter is told in short, condition by condition, with names instead of ids', () => {
  expect(inWords({ state: 'NEW', city: { startsWith: 'Os' }, urgent: true, assignedTo: 'u1' })).toEqual([
    'State is New',
    'City starts with Os',
    'Urgent is Yes',
    'Assignee is Meera Iyer',
  ])
  expect(inWords({ state: { '!=': ['NEW', 'WON', 'LOST'] } })).toEqual(['State is none of New, Won, 1 more'])
  expect(inWords({ state: { '!=': 'NEW' } })).toEqual(['State is not New'])
  expect(inWords({ city: null })).toEqual(['City is not set'])
  expect(inWords({ createdAt: { '>=': Date.UTC(2026, 10, 24) } })[0]).toMatch(/^Created is from .*2026/)
  expect(inWords({ gone: 'x', state: [] })).toEqual(['gone is x', 'State is any of nothing'])
})

test('what is joined by "or" is one, and a group within others says how many conditions it has', () => {
  expect(inWords({ or: [{ state: 'NEW' }, { city: 'Oslo' }] })).toEqual(['State is New or City is Oslo'])
  expect(inWords({ state: 'NEW', or: [{ city: 'Oslo' }, { city: 'Pune', urgent: false }] })).toEqual([
    'State is New',
    '3 conditions in a group',
  ])
  expect(inWords(undefined)).toEqual([])
})
