import type { Process, UpdateProcessByIdBody } from 'caseworker'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatProcessName, formatProcessTitle, getStateName, statesAfter } from '../../src/admin/api/procedure.ts'
import { valueAt } from '../../src/admin/parts/process/fields.ts'
import { countAfter, listCards, type Moves } from '../../src/admin/process/board/moves.ts'
import { buildBulkBody } from '../../src/admin/process/bulk/selection.ts'
import { applyChange, fieldsIn, invertChange, mayPutBack } from '../../src/admin/process/change/changes.ts'
import { definition } from './definition.ts'

const STATES = ['OPEN', 'HELD', 'DONE']
const PROCEDURE = definition({
  states: [
    { shortId: 'OPEN', name: 'Open', next: ['HELD', 'DONE'] },
    { shortId: 'HELD', name: 'On hold' },
    { shortId: 'DONE', name: 'Done', next: [] },
  ],
})

const process = (id: string, more: Partial<Process> = {}): Process => ({
  id,
  team: 't',
  procedure: 'p',
  procedureShortId: 'lead',
  status: 'OPEN',
  state: 'OPEN',
  data: {},
  record: null,
  nextActionAt: null,
  assignedTo: null,
  createdBy: 'u',
  createdAt: 0,
  updatedAt: 0,
  completedAt: 0,
  isDeleted: false,
  ...more,
})

test('a process is called by its primary key, and without one by the end of its id', () => {
  const id = '01a204b5-81d5-797b-90c5-8b65ae3686cd'
  expect(formatProcessName(PROCEDURE, process(id, { data: { lead_id: 'LEAD-7' } }))).toBe('LEAD-7')
  expect(formatProcessName(PROCEDURE, process(id, { data: { lead_id: 0 } }))).toBe('0')
  for (const data of [{}, { lead_id: null }])
    expect(formatProcessName(PROCEDURE, process(id, { data }))).toBe('…ae3686cd')
  expect(formatProcessName(undefined, process(id))).toBe('…ae3686cd')
  expect(formatProcessTitle(PROCEDURE, process(id, { data: { lead_id: 'LEAD-7' } }))).toBe('LEAD-7')
  expect(formatProcessTitle({ ...PROCEDURE, primaryKey: null }, process(id))).toBe('Lead …ae3686cd')
})

test('the next states are those of the definition, and any other where it declares none', () => {
  expect(STATES.map(state => statesAfter(PROCEDURE, state))).toEqual([['HELD', 'DONE'], ['OPEN', 'DONE'], []])
  expect(statesAfter(PROCEDURE, 'GONE')).toEqual(STATES)
  expect([getStateName(PROCEDURE, 'HELD'), getStateName(PROCEDURE, 'GONE')]).toEqual(['On hold', 'GONE'])
})

const state = fc.constantFrom(...STATES)
const boards = fc
  .array(fc.tuple(state, fc.option(state, { nil: undefined })), { maxLength: 12 })
  .map(cards => cards.map(([from, to], nth) => ({ read: process(String(nth), { state: from }), from, to })))

test('a card is in one column of the board, the one it was moved to, and the counts say so', () => {
  fc.assert(
    fc.property(boards, cards => {
      const moves: Moves = Object.fromEntries(
        cards.flatMap(({ read, from, to }) =>
          to === undefined ? [] : [[read.id, { from, process: { ...read, state: to } }]],
        ),
      )
      const shown = STATES.flatMap(each => {
        const read = cards.map(card => card.read).filter(card => card.state === each)
        const column = listCards(each, read, moves)
        expect(countAfter(each, read.length, moves)).toBe(column.length)
        expect(column.every(card => card.state === each)).toBe(true)
        return column
      })
      expect(shown.map(({ id }) => id).sort()).toEqual(cards.map(({ read }) => read.id).sort())
      for (const { read, from, to } of cards) expect(shown.find(({ id }) => id === read.id)?.state).toBe(to ?? from)
    }),
  )
})

test('a moved card that its column has read again is in it once', () => {
  const [before, after] = [process('1'), process('1', { state: 'DONE' })]
  const moves: Moves = { 1: { from: 'OPEN', process: after } }
  expect(listCards('DONE', [after], moves)).toEqual([after])
  expect(listCards('OPEN', [before], moves)).toEqual([])
})

const values = fc.oneof(fc.string(), fc.integer(), fc.constant(null))
const changes: fc.Arbitrary<UpdateProcessByIdBody> = fc
  .record(
    { state, assignedTo: fc.constantFrom('asha', null), data: fc.dictionary(fc.constantFrom('a', 'b'), values) },
    { requiredKeys: [] },
  )
  .map(change => change as UpdateProcessByIdBody)

test('a change that is undone restores the earlier value of each field that it named', () => {
  fc.assert(
    fc.property(changes, fc.dictionary(fc.constantFrom('a', 'b', 'c'), values), (change, data) => {
      const before = process('1', { data, assignedTo: 'meera' })
      const after = applyChange(before, change)
      const again = applyChange(after, invertChange(change, before, after))
      for (const { name } of fieldsIn(change)) expect(valueAt(again, name)).toEqual(valueAt(before, name))
      expect(
        fieldsIn(invertChange(change, before, after))
          .map(({ name }) => name)
          .sort(),
      ).toEqual(
        [
          ...new Set([...fieldsIn(change).map(({ name }) => name), ...(before.state === after.state ? [] : ['state'])]),
        ].sort(),
      )
    }),
  )
})

test('an undo of completing restores the state too, but not where that may not follow any more', () => {
  const before = process('1')
  const after = process('1', { status: 'COMPLETED', state: 'DONE' })
  expect(invertChange({ status: 'COMPLETED' }, before, after)).toEqual({ status: 'OPEN', state: 'OPEN' })
  expect(mayPutBack(PROCEDURE, before, after)).toBe(false)
  expect(mayPutBack(PROCEDURE, before, process('1', { state: 'HELD' }))).toBe(true)
  expect(mayPutBack(PROCEDURE, after, after)).toBe(true)
})

test('a bulk request is for the selected processes, or for a filter; for all only if it says so', () => {
  const update = { state: 'DONE' }
  const some = { kind: 'some', processes: [process('1'), process('2')] } as const
  expect(buildBulkBody(some, update)).toEqual({
    processes: [
      { id: '1', update },
      { id: '2', update },
    ],
  })
  expect(buildBulkBody({ kind: 'all', where: { city: 'Pune' } }, update)).toEqual({ where: { city: 'Pune' }, update })
  expect(buildBulkBody({ kind: 'all', where: undefined }, update)).toEqual({ where: {}, update, all: true })
})
