import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { planQuery } from '../../src/process/query/plan/plan.ts'
import { parseFilter } from '../../src/process/query/read/filter.ts'
import type { SortRequest } from '../../src/process/query/read/sort.ts'
import { CUSTOMERS } from '../support/cases.ts'
import { LEADS } from '../support/leads.ts'
import { buildStatement } from '../support/statements.ts'
import { toId } from '../support/stored.ts'

const START_MS = 1_750_000_000_000
/** Returns SQLite's plan for the statement of a first page. */
async function explain(where: unknown, sort: SortRequest[] = []): Promise<string[]> {
  const { text, params } = buildStatement({ where, sort })
  const explained = await env.DB.prepare(`EXPLAIN QUERY PLAN ${text}`)
    .bind(...params)
    .all<{ detail: string }>()
  return explained.results.map(({ detail }) => detail)
}

/** Omits the lines about large documents: `document-bytes.test.ts` says why. */
const selectProcessLines = (lines: string[]): string[] => [
  ...new Set(lines.filter(line => /\bprocess\b/.test(line) && !line.includes('process_large'))),
]

const INDEX = 'USING (COVERING )?INDEX'

describe('each query uses the index that was meant for it', () => {
  const singleIndex: [string, unknown, string[]][] = [
    ['everything', {}, ['SEARCH process USING INDEX process_list (proc=?)']],
    ['a status', { status: 'OPEN' }, ['SEARCH process USING INDEX process_status (proc=? AND status=?)']],
    ['a state', { state: 'new' }, ['SEARCH process USING INDEX process_state (proc=? AND state=?)']],
    ['an indexed attribute', { city: 'a' }, ['SEARCH process USING INDEX process_s1 (proc=? AND s1=?)']],
    ['true', { hot: true }, ['SEARCH process USING INDEX process_s3 (proc=? AND s3=?)']],
    ['a customer', { record: CUSTOMERS[0]?.id }, ['SEARCH process USING INDEX process_record (record=? AND proc=?)']],
    ['a primary key', { number: 'L1' }, ['SEARCH process USING INDEX process_primary_key (proc=? AND primary_key=?)']],
    ['an id', { id: toId(5) }, ['SEARCH process USING INTEGER PRIMARY KEY (rowid=?)']],
    [
      'a time of creation',
      { createdAt: { '>=': START_MS, '<': START_MS + 5 } },
      ['SEARCH process USING INDEX process_list (proc=? AND rowid>? AND rowid<?)'],
    ],
    [
      'a time of creation and an attribute',
      { createdAt: { '>=': START_MS }, city: 'a' },
      ['SEARCH process USING INDEX process_s1 (proc=? AND s1=? AND rowid>?)'],
    ],
  ]
  test.each(singleIndex)('%s, without sorting', async (_, where, expected) => {
    const lines = await explain(where)
    expect(selectProcessLines(lines)).toEqual(expected)
    if (!('number' in (where as object)) && !('id' in (where as object))) {
      expect(lines.filter(line => line.includes('TEMP B-TREE'))).toEqual([])
    }
  })

  test('several values are merged in order, without sorting', async () => {
    for (const where of [
      { city: ['a', 'b'] },
      { status: { '!=': 'OPEN' } },
      { or: [{ city: 'a' }, { status: 'OPEN' }] },
    ]) {
      const lines = await explain(where)
      expect(lines.some(line => line.startsWith('MERGE'))).toBe(true)
      expect(lines.filter(line => line.includes('TEMP B-TREE'))).toEqual([])
    }
  })

  const shapes: [string, unknown, SortRequest[], string[]][] = [
    ['two equalities', { city: 'a', status: 'OPEN' }, [], ['process_s1', 'process_status']],
    ['three equalities', { city: 'a', status: 'OPEN', hot: true }, [], ['process_s1', 'process_s3', 'process_status']],
    ['a range', { value: { '>=': 5 } }, [], ['process_list', 'process_s2']],
    ['a range and an equality', { value: { '>=': 5 }, status: 'OPEN' }, [], ['process_s2', 'process_status']],
    ['the start of a text', { city: { startsWith: 'pu' } }, [], ['process_list', 'process_s1']],
    [
      'the start of a text and an equality',
      { city: { startsWith: 'pu' }, status: 'OPEN' },
      [],
      ['process_s1', 'process_status'],
    ],
    ['the start of a primary key', { number: { startsWith: 'L1' } }, [], ['process_list', 'process_primary_key']],
    ['a part of a text', { city: { contains: 'un' } }, [], ['process_list']],
    [
      'the start of a text in its own order',
      { city: { startsWith: 'pu' } },
      [{ field: 'city', order: 'asc' }],
      ['process_s1'],
    ],
    ['an attribute without an index', { score: 5 }, [], ['process_list']],
    ['an index that is not ready', { due: '2026-03-31' }, [], ['process_list']],
    ['an equality and an attribute without an index', { score: 5, city: 'a' }, [], ['process_s1']],
    ['a customer and an equality', { record: CUSTOMERS[0]?.id, city: 'a' }, [], ['process_record', 'process_s1']],
    ['many customers', { record: CUSTOMERS.map(({ id }) => id), score: 5 }, [], ['process_list', 'process_record']],
    ['no customer', { record: null }, [], ['process_list']],
    ['what is not set', { city: null }, [], ['process_list']],
    ['a complement', { city: { '!=': 'a' } }, [], ['process_list']],
    ['two ways at once', { or: [{ city: 'a', score: 1 }, { value: 5 }] }, [], ['process_s1', 'process_s2']],
    ['an order by an index', {}, [{ field: 'value', order: 'desc' }], ['process_s2']],
    [
      'an ascending order by an index',
      { score: 5 },
      [{ field: 'nextActionAt', order: 'asc' }],
      ['process_next_action_at'],
    ],
    ['an order without an index', { city: 'a' }, [{ field: 'updatedAt', order: 'asc' }], ['process_s1']],
    ['the oldest first', {}, [{ field: 'createdAt', order: 'asc' }], ['process_list']],
  ]
  test.each(shapes)('%s', async (_, where, sort, indexes) => {
    const lines = await explain(where, sort)
    const used = selectProcessLines(lines).flatMap(
      line => new RegExp(`${INDEX} (\\w+) \\((?:record=\\? AND )?proc=\\?`).exec(line)?.[2] ?? [],
    )
    expect([...new Set(used)].sort()).toEqual(indexes)
    // Whatever else touches a process reaches it by its row number.
    const others = selectProcessLines(lines).filter(
      line => !new RegExp(`${INDEX} \\w+ \\((?:record=\\? AND )?proc=\\?`).test(line),
    )
    expect(others.filter(line => !line.includes('USING INTEGER PRIMARY KEY (rowid=?)'))).toEqual([])
  })
})

test('the start of a text is searched in the index alone', async () => {
  const lines = await explain({ city: { startsWith: ['pune', 'L-1'] } })
  // A newer SQLite makes the EXISTS of the walk a join, and says so; it reads the same.
  const onCity = selectProcessLines(lines)
    .filter(line => line.includes('process_s1'))
    .map(line => line.replace('process EXISTS', 'process'))
  expect([...new Set(onCity)]).toEqual(['SEARCH process USING COVERING INDEX process_s1 (proc=? AND s1>? AND s1<?)'])
})

describe('bounds on one field are joined', () => {
  const getBounds = (where: unknown) =>
    planQuery(parseFilter(where, LEADS, { users: new Map(), now: Date.now }).condition, LEADS)?.rangeScan?.bounds

  test('into the tighter of each side, the strict one of equals', () => {
    expect(getBounds({ value: { '>': 5, '>=': 5, '<': 9, '<=': 8 } })).toEqual({
      numeric: true,
      low: { operator: '>', value: 5 },
      high: { operator: '<=', value: 8 },
    })
  })

  test('by code point for text, which the order of UTF-16 is not', () => {
    expect(getBounds({ city: { '>': '\uffff', '>=': '😀' } })).toEqual({
      numeric: false,
      low: { operator: '>=', value: '😀' },
    })
    expect(getBounds({ city: { '<': '\uffff', '<=': '😀' } })).toEqual({
      numeric: false,
      high: { operator: '<', value: '\uffff' },
    })
  })
})
