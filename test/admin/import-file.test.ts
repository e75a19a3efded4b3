import fc from 'fast-check'
import type { ImportMode } from 'import-file/columns'
import { formatCsvLine } from 'import-file/csv'
import { trackRepeatedKeys } from 'import-file/faults'
import { expect, test } from 'vitest'
import { openCsv, rowsIn } from '../../src/admin/process/import/csv-file.ts'
import { groupFailures, type RowFailure, writeFailedRows } from '../../src/admin/process/import/failures.ts'
import { type Plan, readRows } from '../../src/admin/process/import/reading.ts'
import { definition } from './definition.ts'

const toFile = (...parts: BlobPart[]) => new File(parts, 'leads.csv')

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = []
  for await (const value of values) all.push(value)
  return all
}

const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '\n', '\r', 'a', ' ', 'é', '😀') }),
)
/** Names and rows of a file with at least two columns. */
const tables = fc.integer({ min: 2, max: 5 }).chain(columns => {
  const row = fc.array(cell, { minLength: columns, maxLength: columns })
  const name = fc.string({
    unit: fc.constantFrom('a', 'b', ' ', ',', ';', '\t', '"', '\n'),
    minLength: 1,
    maxLength: 6,
  })
  return fc.record({
    header: fc.array(name, { minLength: columns, maxLength: columns }),
    rows: fc.array(row, { minLength: 1, maxLength: 30 }),
    separator: fc.constantFrom(',', ';', '\t'),
    mark: fc.constantFrom('', '\ufeff'),
  })
})

test('a file with commas, semicolons or tabs is read as it was written, whatever its cells hold', async () => {
  await fc.assert(
    fc.asyncProperty(tables, async ({ header, rows, separator, mark }) => {
      // A row of separators alone is none.
      const kept = rows.filter(cells => cells.some(each => each.trim() !== ''))
      fc.pre(kept.length > 0)
      const file = toFile(mark, ...[header, ...rows].map(each => formatCsvLine(each, separator)))
      const csv = await openCsv(file)
      expect(csv.separator).toBe(separator)
      expect(csv.header).toEqual(header.map(name => name.trim()))
      expect((await collect(rowsIn(csv))).map(row => row.cells)).toEqual(kept)
      expect(csv.first.map(row => row.cells)).toEqual(kept.slice(0, 20))
    }),
    { numRuns: 60 },
  )
})

test('the line of a row is that of its first character, as an editor counts', async () => {
  const csv = await openCsv(toFile('id,note\n1,"two\nlines"\n\n2,one\r\n3,last'))
  expect((await collect(rowsIn(csv))).map(({ line, cells: [id] }) => [id, line])).toEqual([
    ['1', 2],
    ['2', 5],
    ['3', 6],
  ])
})

test.each([
  ['is empty', ''],
  ['has a header and no rows', 'id,name\n'],
  ['is not a text file', new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0x00, 0x00])],
])('a file that %s is refused by its name', async (said, content) => {
  await expect(openCsv(toFile(content))).rejects.toThrow(`leads.csv ${said}`)
})

test('a file of a spreadsheet of Windows is read with its letters', async () => {
  const csv = await openCsv(toFile(new Uint8Array([0x69, 0x64, 0x2c, 0x6e, 0x0a, 0x31, 0x2c, 0xe9, 0x0a, 0x2c, 0x20])))
  expect(csv.encoding).toBe('windows-1252')
  expect((await collect(rowsIn(csv))).map(row => row.cells)).toEqual([['1', 'é']])
})

const explain = async (text: string, mode: ImportMode = 'create'): Promise<Plan> => {
  const csv = await openCsv(toFile(text))
  const targets = csv.header.map(name => (name.startsWith('_') ? '' : name))
  return { csv, procedure: definition(), mode, header: csv.header, separator: csv.separator, targets }
}
const faultsIn = async (plan: Plan) => (await collect(readRows(plan))).map(({ fault }) => fault)
const failure = (message: string, more: Partial<RowFailure> = {}): RowFailure => ({ message, status: 'ERROR', ...more })

test('faults of a row are shown before it is sent: its values, its key, its number of cells', async () => {
  const plan = await explain('lead_id,score\nL1,1\n,2\nL2,many\nL1,3\nL3,4,5\nL4')
  expect(await faultsIn(plan)).toEqual([
    undefined,
    'lead_id is missing',
    expect.stringContaining('"score" must be a number'),
    'the same lead_id as line 2',
    'the row has 3 cells, and the header 2',
    'the row has 1 cell, and the header 2',
  ])
})

test('the file of failed rows has the sender’s own columns and the reasons, and can be sent again', async () => {
  const plan = await explain('lead_id;city;_error\nL1;Pune;\nL2;"a;b";old\nL3;Goa;')
  const failures = new Map([[1, failure('the key is taken', { hint: 'choose another' })]])
  const text = await (await writeFailedRows(plan, failures)).text()
  expect(text.split('\n')).toEqual([
    '_status;_error;_hint;_id;_line;lead_id;city',
    'ERROR;the key is taken;choose another;;3;L2;"a;b"',
    '',
  ])
  const again = await explain(text)
  expect((await collect(readRows(again))).map(({ item, fault }) => ({ item, fault }))).toEqual([
    { item: { data: { lead_id: 'L2', city: 'a;b' } }, fault: undefined },
  ])
})

test('a row with too many or too few cells keeps them all, and its fault, in the file of failed rows', async () => {
  const plan = await explain('lead_id,city\nL1,Pune, East\nL2\nL3,Goa')
  const wrong = (await faultsIn(plan)).flatMap((fault, row) =>
    fault === undefined ? [] : [[row, failure(fault)] as const],
  )
  const text = await (await writeFailedRows(plan, new Map(wrong))).text()
  expect(text.split('\n')).toEqual([
    '_status,_error,_hint,_id,_line,lead_id,city',
    'ERROR,"the row has 3 cells, and the header 2",,,2,L1,Pune," East"',
    'ERROR,"the row has 1 cell, and the header 2",,,3,L2,,delete this cell when the row is right',
    '',
  ])
  const widths = ['the row has 8 cells, and the header 7', 'the row has 8 cells, and the header 7']
  expect(await faultsIn(await explain(text))).toEqual(widths)
  // A spreadsheet makes the header as wide as its widest row.
  expect(await faultsIn(await explain(text.replace('lead_id,city', 'lead_id,city,')))).toEqual([
    '"East" stands in column 8, which has no heading',
    '"delete this cell when the row is right" stands in column 8, which has no heading',
  ])
  const again = new Map(widths.map((fault, row) => [row, failure(fault)]))
  const twice = await (await writeFailedRows(await explain(text), again)).text()
  expect(twice.split('\n').map(line => line.split(',').slice(-3))).toEqual(
    text.split('\n').map(line => line.split(',').slice(-3)),
  )
  const right = text.replace('Pune," East"', '"Pune, East"').replace(/,delete .*/, '')
  expect((await collect(readRows(await explain(right)))).map(({ item, fault }) => ({ item, fault }))).toEqual([
    { item: { data: { lead_id: 'L1', city: 'Pune, East' } }, fault: undefined },
    { item: { data: { lead_id: 'L2' } }, fault: undefined },
  ])
})

test('the sender’s own columns whose names begin with _ come back, and the notes of an earlier run do not', async () => {
  const failed = async (table: string) =>
    (await (await writeFailedRows(await explain(table), new Map([[0, failure('no')]]))).text()).split('\n').slice(0, 2)
  const first = await failed('lead_id,_id,_mine,_mine\nL1,a,b,c\n')
  expect(first).toEqual(['_status,_error,_hint,_id,_line,lead_id,_id,_mine,_mine', 'ERROR,no,,,2,L1,a,b,c'])
  expect(await failed(`${first.join('\n')}\n`)).toEqual(first)
  expect(await failed('lead_id,_id,_status,_error,_hint,_id,_line\nL1,a,ERROR,old,,x,7\n')).toEqual([
    '_status,_error,_hint,_id,_line,lead_id,_id',
    'ERROR,no,,,2,L1,a',
  ])
})

test('the header that stands in a file of failed rows is told once more', async () => {
  const plan = await explain('_error,lead_id,city\nit is the header once more,lead_id, city\nno,lead_id,x\n')
  expect(await faultsIn(plan)).toEqual(['it is the header once more', undefined])
})

test('a first line that tells Excel the separator is skipped', async () => {
  const csv = await openCsv(toFile('\ufeffsep=;\r\nid;name\r\n1;a,b\r\n'))
  expect([csv.separator, csv.header]).toEqual([';', ['id', 'name']])
  expect(await collect(rowsIn(csv))).toEqual([{ line: 3, cells: ['1', 'a,b'] }])
})

test('keys that are repeated in changes are warned of', async () => {
  const plan = await explain('lead_id\nL1\nL1\nL2\nL1', 'upsert')
  const repeated = trackRepeatedKeys(plan)
  const rows = await collect(readRows(plan, { repeated }))
  expect(rows.map(({ fault }) => fault)).toEqual([undefined, undefined, undefined, undefined])
  expect(repeated.warnings()).toEqual(['line 3 has the same lead_id as line 2, and 1 more rows repeat a key'])
})

test('rows that failed for the same reason are one group, the most frequent first, with some of their lines', () => {
  const unknown = (line: number) =>
    failure(`there is no user 01a8c0de-0000-7000-8000-00000000000${line}`, { line, code: 'invalid_request' })
  const groups = groupFailures([
    failure('the key L1 is taken', { code: 'duplicate_primary_key', line: 2 }),
    ...[3, 4, 5, 6, 7, 8].map(unknown),
    failure('the same lead_id as line 2', { line: 9 }),
    failure('the key L7 is taken', { code: 'duplicate_primary_key', line: 10 }),
    failure('the same lead_id as line 77', { line: 11 }),
    failure('the key L8 is taken', { code: 'duplicate_primary_key', line: 12 }),
  ])
  expect(groups.map(({ count, lines }) => ({ count, lines }))).toEqual([
    { count: 6, lines: [3, 4, 5, 6, 7] },
    { count: 3, lines: [2, 10, 12] },
    { count: 2, lines: [9, 11] },
  ])
  expect(groups[2]?.message).toBe('the same lead_id as line …')
})

test('a state is recognised by its name or its short id, in any spelling, and an unknown one is shown with the known ones', async () => {
  const plan = await explain('lead_id,state\nL1,Open\nL2,OPEN\nL3,Waiting')
  const rows = await collect(readRows(plan))
  expect(rows.map(({ item, fault }) => [item.state, fault])).toEqual([
    ['OPEN', undefined],
    ['OPEN', undefined],
    ['Waiting', expect.stringMatching(/^there is no state "Waiting" \(there are OPEN, DONE\)$/)],
  ])
})

test('quoted values make no groups of their own, and are left out of the message of a group', () => {
  const groups = groupFailures([
    failure('"score" must be a number, not "a lot"', { code: 'invalid_request', line: 2 }),
    failure('"score" must be a number, not "\\"many\\""', { code: 'invalid_request', line: 3 }),
    failure('"East" stands in column 3, which has no heading', { line: 5 }),
    failure('"West" stands in column 3, which has no heading', { line: 6 }),
    failure('"city" must be text, not 7', { line: 4 }),
  ])
  expect(groups.map(({ message, lines }) => [message, lines])).toEqual([
    ['"score" must be a number, not …', [2, 3]],
    ['… stands in column …, which has no heading', [5, 6]],
    ['"city" must be text, not 7', [4]],
  ])
})
