import { expect, test } from 'vitest'
import { statement } from '../../src/db/statement.ts'
import { SELECTED_ROWS } from '../../src/process/query/sql/selected-row.ts'
import { CUSTOMERS } from '../support/cases.ts'
import { readableSql } from '../support/readable-sql.ts'
import { buildStatement } from '../support/statements.ts'
import { toId } from '../support/stored.ts'

const TIME = 1_750_000_000_000
const CURSOR = { values: [], rid: 7_168_000_000_000_000 }
const asc = (...fields: string[]) => fields.map(field => ({ field, order: 'asc' as const }))
const desc = (field: string) => [{ field, order: 'desc' as const }]

/** The shapes, in the order in which `src/process/query` explains them. */
const SHAPES: Record<string, Parameters<typeof buildStatement>[0]> = {
  'the newest': {},
  'the newest, next page by cursor': { after: CURSOR },
  'the newest, skip': { skip: 500 },
  'created between two times': { where: { createdAt: { '>=': TIME, '<': TIME + 5 } } },
  'one equality': { where: { city: 'a' } },
  'one equality, next page by cursor': { where: { status: 'OPEN' }, after: CURSOR },
  'one of a few values: their index entries are merged': { where: { city: ['a', 'b', 'c'] } },
  'either of two equalities: merged, and without twins': { where: { or: [{ city: 'a' }, { status: 'OPEN' }] } },
  'one of many values': { where: { city: ['a', 'b', 'c', 'd', 'e', 'f'] } },
  'an id': { where: { id: toId(5) } },
  'a primary key, sorted': { where: { number: ['L1', 'L2'] }, sort: asc('city') },
  'an attribute without an index: a filtered scan': { where: { score: 5 } },
  'a filtered scan, skip': { where: { score: { '!=': null } }, skip: 500 },
  'two equalities': { where: { city: 'a', status: 'OPEN' } },
  'two equalities, the next statement, along the chosen index': {
    where: { city: 'a', status: 'OPEN' },
    indexScan: 1,
    before: CURSOR.rid,
  },
  'three equalities': { where: { city: 'a', status: 'OPEN', hot: true } },
  'a customer': { where: { record: CUSTOMERS[0]?.id } },
  'a customer, filtered': { where: { record: CUSTOMERS[0]?.id, score: 5 } },
  'a range': { where: { value: { '>=': 5 } } },
  'the start of a text: its spellings are looked for letter by letter': { where: { city: { startsWith: 'pu-1' } } },
  'the start of a text, sorted by it': { where: { city: { startsWith: 'pu' } }, sort: asc('city') },
  'parts of texts': { where: { tags: { contains: ['a', 'b'] }, city: { contains: 'un' } } },
  'a range and an equality': { where: { value: { '>=': 5, '<': 9 }, status: 'OPEN' } },
  'or with and': { where: { or: [{ city: 'a', score: 1 }, { value: 5 }] } },
  'every kind of condition': {
    where: { city: { '!=': 'a' }, tags: ['x', null], score: { '>': 1 }, due: { '<=': '2026-01-01' }, other: 105 },
  },
  'sorted by an index, descending': { sort: desc('value') },
  'sorted by an index, ascending, filtered': { where: { score: 5 }, sort: asc('nextActionAt') },
  'sorted by an index, ascending, next page by cursor': {
    sort: asc('nextActionAt'),
    after: { values: [TIME], rid: CURSOR.rid },
  },
  'sorted by an index within a range': { where: { value: { '>=': 1, '<': 9 } }, sort: desc('value') },
  'the oldest': { sort: asc('createdAt') },
  'sorted in memory': { where: { city: 'a' }, sort: asc('updatedAt') },
  'sorted in memory by two fields, next page by cursor': {
    where: { city: 'a' },
    sort: asc('status', 'due'),
    after: { values: [2, null], rid: CURSOR.rid },
  },
  'sorted in memory, positions only, a range read whole': {
    where: { value: { '<': 9 } },
    sort: asc('updatedAt'),
    selected: 'position',
    limit: 510,
  },
  'the ids of all matches, for a job': { where: { city: 'a', score: 5 }, selected: 'id', limit: 2_000 },
}

test('the statement of each shape of a query is the one that was read and agreed to', async () => {
  const { text: row } = statement(SELECTED_ROWS.process).compile()
  const printed = Object.entries(SHAPES).map(([name, shape]) => {
    const { text, params } = buildStatement(shape)
    const values = params.map((value, index) => `?${index + 1} = ${JSON.stringify(value)}`).join(', ')
    return `-- ${name}\n-- ${values}\n${readableSql(text.replaceAll(row, '<process> AS row'))};\n`
  })
  await expect(printed.join('\n')).toMatchFileSnapshot('__snapshots__/statements.sql')
})
