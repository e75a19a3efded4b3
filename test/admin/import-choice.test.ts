import { expect, test } from 'vitest'
import {
  bringBack,
  type Choice,
  chooseFile,
  chooseMode,
  correctFile,
  placeColumns,
  planChoice,
  stateForm,
} from '../../src/admin/process/import/choice.ts'
import { openCsv } from '../../src/admin/process/import/csv-file.ts'
import { readRows, showCell } from '../../src/admin/process/import/reading.ts'
import { recallStep } from '../../src/admin/process/import/step/choice-step.ts'
import { gatherRows } from '../support/read-tables.ts'
import { attribute, definition } from './definition.ts'

const lead = definition({
  primaryKey: 'lead_id',
  attributes: [
    attribute('lead_id', { name: 'Lead', required: true }),
    attribute('due', { type: 'date' }),
    attribute('score', { type: 'float' }),
    attribute('note'),
    attribute('remark'),
  ],
})

const open = (table: string) => openCsv(new File([table], 'leads.csv'))
const choose = async (table: string) => chooseFile(lead, 'create', await open(table))

test('what a dry run has found is not known of another way to read the file', async () => {
  const before = await choose('lead_id,due,note\nA,03/04/2026,x\nB,04/04/2026,y\n')
  const planned = { name: 'planned' as const, result: {}, planned: {} }
  const known = { of: before, step: planned } as never
  expect(recallStep(known, before).step).toBe(planned)
  const others: Choice[] = [
    stateForm(before, 1, 'monthDayYear'),
    placeColumns(before, ['lead_id', 'due', ''], [2]),
    chooseMode(lead, 'upsert', before),
    correctFile(before, before.csv),
  ]
  for (const other of others) expect(recallStep(known, other).step).toEqual({ name: 'columns' })
})

const plan = (choice: Choice) => planChoice(lead, 'create', choice)

test('another target of one column leaves how the others are written', async () => {
  const before = stateForm(await choose('lead_id,due,note\nA,03/04/2026,x\n'), 1, 'monthDayYear')
  for (const after of [placeColumns(before, ['lead_id', 'due', ''], [2]), chooseMode(lead, 'upsert', before)])
    expect(plan(after).plan.forms).toEqual(['asIs', 'monthDayYear', 'asIs'])
  const moved = placeColumns(before, ['lead_id', 'note', 'due'], [])
  expect(plan(moved).plan.forms).toEqual(['asIs', 'asIs', 'asIs'])
})

test('a column that can be read in two ways is read in the one that the reader says, in all of its rows', async () => {
  const before = await choose('lead_id,due,score,note\nA,03/04/2026,"1,234",x\nB,28/04/2026,2,y\n')
  expect(plan(before)).toMatchObject({ unclear: [2], fault: expect.stringContaining(': choose how it is written.') })
  const { unclear, fault, plan: said } = plan(stateForm(before, 2, 'decimalPoint'))
  expect([unclear, fault]).toEqual([[], undefined])
  expect(await gatherRows(readRows(said))).toMatchObject({
    items: [{ data: { due: '2026-04-03', score: 1234 } }, { data: { due: '2026-04-28', score: 2 } }],
    faults: [],
  })
  expect(['03/04/2026', '1,234'].map((cell, at) => showCell(said, at + 1, cell))).toEqual(['2026-04-03', '1234'])
})

test('the rows behind the first twenty tell the form, and one that does not fit those that do is refused', async () => {
  const rows = (count: number) => Array.from({ length: count }, (_, at) => `L${at},03/04/2026\n`).join('')
  const late = plan(await choose(`lead_id,due\n${rows(20)}L21,25/04/2026\n`))
  expect([late.fault, late.plan.forms?.[1]]).toEqual([undefined, 'dayMonthYear'])
  const wrong = plan(await choose(`lead_id,due\nA,25/04/2026\n${rows(1_000)}L,04/28/2026\n`))
  expect(wrong.fault).toBeUndefined()
  expect((await gatherRows(readRows(wrong.plan))).faults).toEqual([
    expect.stringContaining('"04/28/2026", which is not written as those in its first rows'),
  ])
})

test('rows that come back are written as their file, and another file is not', async () => {
  const said = stateForm(await choose('lead_id,due\nA,03/04/2026\nB,05/04/2026\n'), 1, 'dayMonthYear')
  const failed = await open('_error,lead_id,due\nno,B,05/04/2026\n')
  expect(plan(bringBack(lead, 'create', failed, said))).toMatchObject({ unclear: [], fault: undefined })
  expect(plan(chooseFile(lead, 'create', failed, said)).unclear).toEqual([2])
  const found = await choose('lead_id,due\nA,28/04/2026\nB,x/04/2026\n')
  expect(plan(correctFile(found, await open('lead_id,due\nB,05/04/2026\n'))).plan.forms?.[1]).toBe('dayMonthYear')
})

test('two columns with one heading go where they went when their rows were corrected', async () => {
  const table = 'lead_id,,\nA,x,y\n'
  const before = placeColumns(await choose(table), ['lead_id', 'note', 'remark'], [])
  expect(correctFile(before, await open(table)).targets).toEqual(['lead_id', 'note', 'remark'])
})
