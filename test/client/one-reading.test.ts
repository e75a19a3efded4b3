import { describe, expect, it } from 'vitest'
import type { Procedure } from '../../src/client/client.ts'
import { planReading, type RowFile, readRows } from '../../src/client/command-line/bulk-file.ts'
import type { ImportMode } from '../../src/import-file/columns.ts'
import { detectSeparator } from '../../src/import-file/csv.ts'
import { decodeText, detectEncoding } from '../../src/import-file/stream.ts'
import type { Procedure as StoredProcedure } from '../../src/procedure/model.ts'
import { readItemBody } from '../../src/process/bulk/item-body.ts'
import { gatherRows, READ_TABLES, REFUSED_TABLES, TABLE_ATTRIBUTES, type TableReading } from '../support/read-tables.ts'

// `test/admin/one-reading.test.ts` reads the same tables by the page.

const lead = {
  shortId: 'lead',
  name: 'Lead',
  primaryKey: 'lead_id',
  strict: false,
  attributes: TABLE_ATTRIBUTES,
  states: [{ shortId: 'OPEN', name: 'Open' }],
}

const toBytes = (table: string | Uint8Array): Uint8Array =>
  typeof table === 'string' ? new TextEncoder().encode(table) : table

async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function readByApi(table: string | Uint8Array, mode: ImportMode): Promise<TableReading> {
  const pieces = toStream(toBytes(table))
  const next = async () => (await pieces.next()).value as Uint8Array | undefined
  const body = readItemBody({ type: 'text/csv', charset: undefined, next, digest: async () => '' }, {})
  const rows = body.items(lead as unknown as StoredProcedure, mode)
  return gatherRows(rows as AsyncGenerator<{ line: number }>)
}

async function readByCommand(table: string | Uint8Array, mode: ImportMode): Promise<TableReading> {
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
  }
  return gatherRows(readRows(file, await planReading(file, lead as unknown as Procedure, mode, {})))
}

describe.each([
  ['the API', readByApi],
  ['the command line', readByCommand],
])('%s', (_, read) => {
  it.each(READ_TABLES)('reads %s as the others do', async (_, table, reading) => {
    expect(await read(table, 'create')).toEqual(reading)
  })

  it.each(REFUSED_TABLES)('refuses a file with %s', async (_, mode, table, message) => {
    await expect(read(table, mode)).rejects.toThrow(message)
  })
})
