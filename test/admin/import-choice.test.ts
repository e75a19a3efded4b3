import { expect, test } from 'vitest'
import {
  type Choice,
  chooseFile,
  chooseMode,
  correctFile,
  placeColumns,
  stateForm,
} from '../../src/admin/process/import/choice.ts'
import { openCsv } from '../../src/admin/process/import/csv-file.ts'
import { recallStep } from '../../src/admin/process/import/step/known-step.ts'
import { attribute, definition } from './definition.ts'

const lead = definition({
  primaryKey: 'lead_id',
  attributes: [
    attribute('lead_id', { name: 'Lead', required: true }),
    attribute('due', { type: 'date' }),
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
    placeColumns(lead, before, ['lead_id', 'due', ''], [2]),
    chooseMode(lead, 'upsert', before),
    correctFile(before, before.csv),
  ]
  for (const other of others) expect(recallStep(known, other).step).toEqual({ name: 'columns' })
})

test('another target of one column leaves how the others are written', async () => {
  const before = stateForm(await choose('lead_id,due,note\nA,03/04/2026,x\n'), 1, 'dayMonthYear')
  expect(placeColumns(lead, before, ['lead_id', 'due', ''], [2]).forms).toEqual(['asIs', 'dayMonthYear', 'asIs'])
  expect(chooseMode(lead, 'upsert', before).forms).toEqual(['asIs', 'dayMonthYear', 'asIs'])
})

test('two columns with one heading go where they went when their rows were corrected', async () => {
  const table = 'lead_id,,\nA,x,y\n'
  const before = placeColumns(lead, await choose(table), ['lead_id', 'note', 'remark'], [])
  expect(correctFile(before, await open(table)).targets).toEqual(['lead_id', 'note', 'remark'])
})
