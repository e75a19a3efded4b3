import type { Process } from 'caseworker'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ALL_SELECTED,
  buildBulkBody,
  countChosen,
  isChosen,
  NOTHING_SELECTED,
  SENT_BY_HAND_MAX,
  toTarget,
  toTargetQuery,
  withRows,
} from '../../src/admin/process/bulk/selection.ts'

const processes = (ids: readonly string[]) => ids.map(id => ({ id }) as Process)
const IDS = ['a', 'b', 'c', 'd', 'e', 'f']
const steps = fc.array(fc.record({ ids: fc.subarray(IDS), isOn: fc.boolean() }))

test('a row is selected if its last click selected it, with some selected as with all but some', () => {
  fc.assert(
    fc.property(steps, fc.boolean(), (list, isAll) => {
      let selection = isAll ? ALL_SELECTED : NOTHING_SELECTED
      const chosen = new Set(isAll ? IDS : [])
      for (const { ids, isOn } of list) {
        selection = withRows(selection, processes(ids), isOn)
        for (const id of ids) isOn ? chosen.add(id) : chosen.delete(id)
      }
      expect(IDS.filter(id => isChosen(selection, id))).toEqual(IDS.filter(id => chosen.has(id)))
      expect(countChosen(selection, IDS.length)).toBe(chosen.size)
    }),
  )
  expect(countChosen(NOTHING_SELECTED, 5)).toBe(0)
})

test('a selection of all but some is a query: the filter, and none of them', () => {
  const all = withRows(ALL_SELECTED, processes(['a', 'b']), false)
  expect(toTarget(ALL_SELECTED, undefined)).toEqual({ kind: 'all', where: undefined })
  expect(toTarget(all, undefined)).toEqual({ kind: 'all', where: { id: { '!=': ['a', 'b'] } } })
  expect(toTarget(all, { or: [{ city: 'Pune' }, { score: 1 }] })).toEqual({
    kind: 'all',
    where: { and: [{ or: [{ city: 'Pune' }, { score: 1 }] }, { id: { '!=': ['a', 'b'] } }] },
  })
})

test('a request for everything says so, and no other does', () => {
  const body = (selection: typeof ALL_SELECTED) => buildBulkBody(toTarget(selection, undefined), { isDeleted: true })
  expect(body(ALL_SELECTED)).toEqual({ where: {}, update: { isDeleted: true }, all: true })
  expect(body(withRows(ALL_SELECTED, processes(['a']), false))).not.toHaveProperty('all')
  expect(body(withRows(NOTHING_SELECTED, processes(['a']), true))).toEqual({
    processes: [{ id: 'a', update: { isDeleted: true } }],
  })
})

test('a selection by hand is a filter as long as an address can hold it', () => {
  const selectByHand = (many: number) =>
    toTargetQuery({ kind: 'some', processes: processes(Array.from({ length: many }, (_, nth) => `${nth}`)) })
  expect(selectByHand(2)).toEqual({ where: { id: ['0', '1'] } })
  expect(selectByHand(SENT_BY_HAND_MAX)).toBeDefined()
  expect(selectByHand(SENT_BY_HAND_MAX + 1)).toBeUndefined()
  expect(toTargetQuery({ kind: 'all', where: undefined })).toEqual({ where: undefined })
})
