import type { ImportMode } from 'import-file/columns'
import { expect, test } from 'vitest'
import { chooseFile, planChoice } from '../../src/admin/process/import/choice.ts'
import { targetsFault } from '../../src/admin/process/import/columns.ts'
import { openCsv } from '../../src/admin/process/import/csv-file.ts'
import { readRows } from '../../src/admin/process/import/reading.ts'
import { gatherRows, READ_TABLES, REFUSED_TABLES, TABLE_ATTRIBUTES } from '../support/read-tables.ts'
import { definition } from './definition.ts'

// `test/client/one-reading.test.ts` reads the same tables by the API and by the command line.

const lead = definition({ attributes: [...TABLE_ATTRIBUTES] })

async function open(table: string | Uint8Array, mode: ImportMode) {
  const csv = await openCsv(new File([table as BlobPart], 'leads.csv'))
  const { plan, fault } = planChoice(lead, mode, chooseFile(lead, mode, csv))
  return { fault, ...plan }
}

test.each(READ_TABLES)('the page reads %s as the API does', async (_, table, reading) => {
  const { fault, ...plan } = await open(table, 'create')
  expect(fault).toBeUndefined()
  expect(await gatherRows(readRows(plan))).toEqual(reading)
})

test.each(REFUSED_TABLES)('the page takes no file with %s', async (_, mode, table, message) => {
  const { fault = '' } = await open(table, mode)
  expect(fault.toLowerCase()).toContain(message.toLowerCase())
})

test('a column that nobody knows can be ignored, and one without a heading as well', async () => {
  const { fault, ...plan } = await open('lead_id,Remark,\nA,x,y\n', 'create')
  expect(fault).toContain('Choose where it goes, or “Ignore”.')
  const leftOut = [1, 2]
  expect(targetsFault(lead, 'create', plan.targets, { header: plan.header, leftOut })).toBeUndefined()
  const { items, faults } = await gatherRows(readRows({ ...plan, leftOut }))
  expect([items, faults]).toEqual([[{ data: { lead_id: 'A' } }], []])
})
