import { describe, expect, it } from 'vitest'
import type { CsvForm } from '../../src/client/bulk.ts'
import type { Procedure } from '../../src/client/client.ts'
import type { RowFile } from '../../src/client/command-line/bulk-file.ts'
import { splitFile } from '../../src/client/command-line/bulk-parts.ts'
import { planReading } from '../../src/client/command-line/bulk-reading.ts'
import { type Reading, readRows } from '../../src/client/command-line/bulk-rows.ts'
import type { BatchLimits } from '../../src/client/pack-lines.ts'
import type { ImportMode } from '../../src/import-file/columns.ts'
import { detectSeparator } from '../../src/import-file/csv.ts'
import { decodeText, detectEncoding } from '../../src/import-file/stream.ts'
import type { Procedure as StoredProcedure } from '../../src/procedure/model.ts'
import { readItemBody } from '../../src/process/bulk/item-body.ts'
import { collected } from '../support/client.ts'
import { gatherRows, READ_TABLES, REFUSED_TABLES, TABLE_ATTRIBUTES, type TableReading } from '../support/read-tables.ts'

// `test/admin/one-reading.test.ts` reads the same tables by the page.

const lead = {
  shortId: 'lead',
  name: 'Lead',
  primaryKey: 'lead_id',
  strict: false,
  attributes: [
    ...TABLE_ATTRIBUTES,
    { shortId: 'parts', name: 'Parts', type: 'integer', required: false, indexed: false },
  ],
  states: [{ shortId: 'OPEN', name: 'Open' }],
}

const toBytes = (table: string | Uint8Array): Uint8Array =>
  typeof table === 'string' ? new TextEncoder().encode(table) : table

async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function readByApi(
  table: string | Uint8Array,
  mode: ImportMode,
  { charset, ...options }: CsvForm = {},
): Promise<TableReading> {
  const pieces = toStream(toBytes(table))
  const next = async () => (await pieces.next()).value as Uint8Array | undefined
  const body = readItemBody({ type: 'text/csv', charset, next, digest: async () => '' }, options)
  const rows = body.items(lead as unknown as StoredProcedure, mode)
  return gatherRows(rows as AsyncGenerator<{ line: number }>)
}

async function openTable(
  table: string | Uint8Array,
  mode: ImportMode,
  of: Partial<RowFile> = {},
): Promise<{ file: RowFile; reading: Reading }> {
  const bytes = toBytes(table)
  const encoding = await detectEncoding('leads.csv', toStream(bytes))
  const file: RowFile = {
    name: 'leads.csv',
    format: 'csv',
    encoding,
    separator: detectSeparator(new TextDecoder().decode(bytes)),
    text: () => decodeText(toStream(bytes), encoding),
    form: async () => ({ mark: '', lineEnd: '\n' }),
    close: async () => {},
    ...of,
  }
  return { file, reading: await planReading(file, lead as unknown as Procedure, mode, {}) }
}

async function readByCommand(
  table: string | Uint8Array,
  mode: ImportMode,
  of: Partial<RowFile> = {},
): Promise<TableReading> {
  const { file, reading } = await openTable(table, mode, of)
  return gatherRows(readRows(file, reading))
}

/** What the API reads of what the command line sends. */
async function readWhatIsSent(
  table: string | Uint8Array,
  mode: ImportMode,
  of: Partial<RowFile> = {},
  limits: BatchLimits = {},
): Promise<TableReading> {
  const { file, reading } = await openTable(table, mode, of)
  const parts = await collected(splitFile(file, { ...reading, isLarge: limits.entriesMax !== undefined }, limits))
  const readings = await Promise.all(
    parts.map(async part => {
      if (!('csv' in part && part.csv instanceof Blob)) throw new Error('not sent as a table')
      const { csv, ...form } = part
      return readByApi(new Uint8Array(await csv.arrayBuffer()), mode, form)
    }),
  )
  return { items: readings.flatMap(({ items }) => items), faults: readings.flatMap(({ faults }) => faults) }
}

describe.each([
  ['the API', readByApi],
  ['the command line', readByCommand],
  ['the API, of what the command line sends,', readWhatIsSent],
])('%s', (_, read) => {
  it.each(READ_TABLES)('reads %s as the others do', async (_, table, reading) => {
    expect(await read(table, 'create')).toEqual(reading)
  })

  it.each(REFUSED_TABLES)('refuses a file with %s', async (_, mode, table, message) => {
    await expect(read(table, mode)).rejects.toThrow(message)
  })
})

describe('a file that the command line sends', () => {
  it.each(READ_TABLES)('has %s in its lines in each of its parts', async (_, table, reading) => {
    expect(await readWhatIsSent(table, 'create', {}, { entriesMax: 1 })).toEqual(reading)
  })

  it('has the numbers of a workbook as they are, and texts that look like some as texts', async () => {
    const table = 'lead_id,score,parts\nA,1.234,1.5\nB,"1,234",7\nC,2.5,"1,5"\n'
    const sent = await readWhatIsSent(table, 'create', { sheet: 'Leads' })
    expect(sent.items).toEqual([
      { data: { lead_id: 'A', score: 1.234, parts: 1.5 } },
      { data: { lead_id: 'B', score: '1,234', parts: 7 } },
      { data: { lead_id: 'C', score: 2.5, parts: '1,5' } },
    ])
  })

  it('names the rows of a workbook as its sheet does, in each of its parts', async () => {
    const table = 'lead_id,city\n\nA,"New\nGoa"\n\nB,"Pu\r\nne",x\nC,Goa\nD\n'
    const faults = [5, 7].map(
      line => `line ${line}: the row has ${line === 5 ? '3 cells' : '1 cell'}, and the header 2`,
    )
    for (const limits of [{}, { entriesMax: 1 }, { entriesMax: 2 }])
      expect((await readWhatIsSent(table, 'create', { sheet: 'Leads' }, limits)).faults).toEqual(faults)
    expect((await readByCommand(table, 'create', { sheet: 'Leads' })).faults).toEqual(faults)
  })

  it('has the offset of this machine in each time without one', async () => {
    const table =
      'lead_id;nextActionAt\nA;31.12.2026 10:00\nB;2026-12-31T10:00:00+05:00\nC;tomorrow\nD;31.12.2026 10:00;x\n'
    const at = new Date(2026, 11, 31, 10).getTime()
    expect(await readWhatIsSent(table, 'create')).toEqual({
      items: [
        { data: { lead_id: 'A' }, nextActionAt: at },
        { data: { lead_id: 'B' }, nextActionAt: Date.parse('2026-12-31T10:00:00+05:00') },
        { data: { lead_id: 'C' }, nextActionAt: 'tomorrow' },
      ],
      faults: ['line 5: the row has 3 cells, and the header 2'],
    })
  })

  it('has a line of JSON as it is, whose member is there twice, with the words of the API', async () => {
    const text = '{"data": {"score": 1, "sc\\u006fre": 2}}\n'
    const { file, reading } = await openTable('lead_id\n', 'create')
    const lines: RowFile = { ...file, format: 'ndjson', text: () => decodeText(toStream(toBytes(text)), 'utf-8') }
    expect(await collected(readRows(lines, reading))).toMatchObject([
      { text, fault: '"score" is there twice (/data/score)' },
    ])
  })

  it('has lines of JSON where they were, whatever is in them', async () => {
    const file: RowFile = {
      ...(await openTable('lead_id\n', 'create')).file,
      format: 'ndjson',
      text: async function* () {
        yield '{"lead_id": "A", "_error": "x"}\r\n\r\n{"lead_id"\r\n[1]\n{"lead_id": "B\udfff"}\n{"lead_id": "C"}'
      },
    }
    const reading = await planReading(file, lead as unknown as Procedure, 'create', {})
    const parts = await collected(splitFile(file, { ...reading, isLarge: false }, { entriesMax: 3 }))
    const texts = await Promise.all(
      parts.map(async part => ('ndjson' in part && part.ndjson instanceof Blob ? part.ndjson.bytes() : undefined)),
    )
    const decoded = texts.map(bytes => new TextDecoder('latin1').decode(bytes).split('\n'))
    expect(decoded).toEqual([
      ['{"lead_id":"A"}', '', '{"lead_id"', '[1]', ''],
      ['', '', '', '', '{"lead_id": "B\xff"}', '{"lead_id":"C"}', ''],
    ])
  })
})
