import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { StreamedBody } from '../../src/http/request/streamed-body.ts'
import { formatCsvLine } from '../../src/import-file/csv.ts'
import type { Procedure } from '../../src/procedure/model.ts'
import { formatEntryCell, markJson } from '../../src/process/bulk/entry-cells.ts'
import { readItemBody, type TableOptions } from '../../src/process/bulk/item-body.ts'
import { attribute } from '../support/procedures.ts'

const PROCEDURE = {
  shortId: 'lead',
  primaryKey: 'lead_id',
  strict: false,
  states: [],
  attributes: [
    attribute('lead_id', 'string'),
    attribute('score', 'integer'),
    attribute('value', 'float'),
    attribute('price', 'float'),
    attribute('day', 'date'),
    attribute('roof', 'json'),
    attribute('tags', 'multiString'),
    attribute('isHot', 'boolean'),
  ].map(each => ({ ...each, name: each.shortId })),
} as unknown as Procedure

const number = fc.oneof(
  fc.constantFrom('', '1.234,5', '1,234.5', '12,500', '1,234', '1.234', '-1.234', '100.000', '1.000.000', '1,000,000'),
  fc.constantFrom('12.5', '-0,5', '0.125', '1,50', '7', '007', 'many', '1.234,50 €', '1e3', '.5', '5,', '0,00000015'),
  fc.constantFrom('12345678901234567890,5', '12345678901234567890.5', '1.234.567.890.123.456.789,12'),
  fc.double().map(String),
)
const day = fc.oneof(
  fc.constantFrom('', '31.12.2026', '12/31/2026', '03/04/2026', '03.04.2026', '2026-12-31', '09/07/26', '31.02.2026'),
  fc.constantFrom('31.12.2026 00:00', '2026-12-31 00:00:00', '31.12.2026 10:00', 'tomorrow'),
)
const json = fc.constantFrom('', '5', '"5"', 'flat', '{"a":1}', '{broken', 'null', 'true', '[1,2]', '""', '" x"', '"["')
const list = fc.constantFrom('', 'a;b', '["a","b; c"]', '[broken', 'a', '"x"', ';')
const truth = fc.constantFrom('', 'TRUE', 'false', 'Yes', 'no', '1', '0', 'ja')
const row = fc.tuple(fc.constantFrom('K1', 'K2', ''), number, number, number, day, json, list, truth)
const HEADER = ['lead_id', 'score', 'value', 'price', 'day', 'roof', 'tags', 'isHot']

const options = fc.record({
  delimiter: fc.constantFrom(undefined, ';', ',', 'tab', '|'),
  dates: fc.constantFrom(undefined, 'iso', 'dmy', 'mdy'),
  decimal: fc.constantFrom(undefined, 'comma', 'point'),
})

function toBody(text: string): StreamedBody {
  const pieces = [new TextEncoder().encode(text)]
  return { type: 'text/csv', next: async () => pieces.pop() } as unknown as StreamedBody
}

/** Returns the result of a table; undefined if the request is refused. */
async function readTable(text: string, said: TableOptions) {
  const body = readItemBody(toBody(text), said)
  const entries: { apiData: Record<string, unknown>; fault: string | undefined }[] = []
  try {
    for await (const read of body.items(PROCEDURE, 'upsert'))
      if ('fault' in read) entries.push({ apiData: read.kept ?? {}, fault: read.fault })
      else if ('item' in read) entries.push({ apiData: { processUpsert: read.item }, fault: undefined })
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'invalid_request') throw error
    return undefined
  }
  return { entries, columns: markJson(PROCEDURE, body.columns?.() ?? []) }
}

type Table = NonNullable<Awaited<ReturnType<typeof readTable>>>

/** The results of these entries, as far as they are read again. */
function writeResults({ columns }: Table, entries: Table['entries']): string {
  const separator = columns[0]?.separator ?? ','
  const lines = entries.map(({ apiData, fault = '' }) => [
    ...columns.map(column => formatEntryCell('PROCESS_UPSERT', apiData, { ...column, separator })),
    fault,
  ])
  return [[...columns.map(({ name }) => name), '_error'], ...lines]
    .map(cells => formatCsvLine(cells, separator))
    .join('')
}

it('the results of a table are read by the same request as the same values, all rows and each one alone, or are refused', async () => {
  const tables = fc.tuple(fc.array(row, { minLength: 1, maxLength: 3 }), options, fc.constantFrom(',', ';', '\t'))
  await fc.assert(
    fc.asyncProperty(tables, async ([rows, said, other]) => {
      const separator = said.delimiter === 'tab' ? '\t' : (said.delimiter ?? other)
      const table = await readTable([HEADER, ...rows].map(cells => formatCsvLine(cells, separator)).join(''), said)
      if (table === undefined) return
      for (const some of [table.entries, ...table.entries.map(entry => [entry])]) {
        const text = writeResults(table, some)
        const again = await readTable(text, said)
        if (again !== undefined) expect(again.entries, text).toEqual(some)
      }
    }),
    { numRuns: 500 },
  )
})
