import type { Query, SavedView } from 'caseworker'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readJobSearch, toJobQuery } from '../../src/admin/background-job/search.ts'
import { readMessageSearch, toMessageQuery } from '../../src/admin/message/message-search.ts'
import { formatPhone } from '../../src/admin/parts/message/phone-number.ts'
import { definitionAddress } from '../../src/admin/procedure/definition.ts'
import {
  buildQuery,
  isGroup,
  newGroup,
  newKey,
  parseTree,
  type RuleItem,
} from '../../src/admin/process/filter/filter-tree.ts'
import { buildListBody, readListSearch, sortingIn, sortText } from '../../src/admin/process/list/list-search.ts'
import { readSendSearch } from '../../src/admin/process/send/send-search.ts'
import { isShown, toSavedQuery, toSearch } from '../../src/admin/process/view/view-search.ts'
import { formatAgent } from '../../src/admin/session/agent-text.ts'

const fields = fc.constantFrom('state', 'score', 'record.phone', 'constructor', '__proto__')
const value = fc.oneof(fc.string({ maxLength: 4 }), fc.integer(), fc.boolean())
const rule = fc
  .record({
    field: fields,
    operator: fc.constantFrom('=', '!=', '>', '<=', 'contains', 'set', 'unset'),
    values: fc.array(value, { maxLength: 3 }),
  })
  .map(each => ({ key: newKey(), ...each }) as RuleItem)
const { tree } = fc.letrec<{ tree: RuleItem; item: RuleItem }>(tie => ({
  item: fc.oneof({ depthSize: 'small' }, rule, tie('tree')),
  tree: fc
    .record({ join: fc.constantFrom('and' as const, 'or' as const), items: fc.array(tie('item'), { maxLength: 4 }) })
    .map(({ join, items }) => newGroup(join, items)),
}))
const filters: fc.Arbitrary<Query | undefined> = tree.map(each => (isGroup(each) ? buildQuery(each) : undefined))

const rulesIn = (item: RuleItem): number =>
  isGroup(item) ? item.items.reduce((sum, each) => sum + rulesIn(each), 0) : 1

test('a filter that was built, written into the address and opened again is the same filter', () => {
  fc.assert(
    fc.property(filters, where => {
      const opened = parseTree(where && (JSON.parse(JSON.stringify(where)) as Query))
      expect(rulesIn(opened)).toBe(rulesIn(parseTree(where)))
      // Groups within a group of the same kind are one group: what is written once stays so.
      const again = buildQuery(opened)
      expect(buildQuery(parseTree(again))).toEqual(again)
      expect(rulesIn(parseTree(again))).toBe(rulesIn(opened))
    }),
    { numRuns: 500 },
  )
})

test('a condition without a value filters nothing, and an empty list that was sent matches nothing', () => {
  const unfinished = newGroup('and', [{ key: 1, field: 'city', operator: '=', values: [] }])
  expect(buildQuery(unfinished)).toBeUndefined()
  expect(buildQuery(newGroup('or', [unfinished]))).toBeUndefined()
  expect(buildQuery(parseTree({ city: [] }))).toEqual({ city: [] })
})

test('two bounds of a field are one member, and a second equality is a condition of its own', () => {
  const of = (operator: '>=' | '<' | '=', each: number): RuleItem => ({
    key: newKey(),
    field: 'score',
    operator,
    values: [each],
  })
  expect(buildQuery(newGroup('and', [of('>=', 5), of('<', 9)]))).toEqual({ score: { '>=': 5, '<': 9 } })
  expect(buildQuery(newGroup('and', [of('>=', 5), of('>=', 9)]))).toEqual({
    score: { '>=': 5 },
    and: [{ score: { '>=': 9 } }],
  })
  expect(buildQuery(newGroup('and', [of('=', 5), of('=', 9)]))).toEqual({ score: 5, and: [{ score: 9 }] })
})

const searches = fc
  .record({
    where: filters,
    search: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
    sort: fc.option(fc.constantFrom('score', '-score', 'record.phone'), { nil: undefined }),
    columns: fc.option(fc.constantFrom('state', 'state,score'), { nil: undefined }),
  })
  .map(readListSearch)

test('the state in an address is saved in a view and opened again unchanged', () => {
  fc.assert(
    fc.property(searches, fc.constantFrom('table' as const, 'board' as const), (search, layout) => {
      const view = { ...toSavedQuery(search, layout), name: 'Mine' } as SavedView
      expect(toSearch(view)).toEqual(search)
      expect(isShown(view, search, layout)).toBe(true)
      expect(isShown(view, search, layout === 'table' ? 'board' : 'table')).toBe(false)
      expect(isShown(view, { ...search, search: `${search.search ?? ''}x` }, layout)).toBe(false)
    }),
  )
})

test('sorting is written with a minus where it descends, and read back', () => {
  for (const sort of ['score', '-score'])
    expect(sortText(sortingIn(sort) ?? { field: '', descending: false })).toBe(sort)
  expect(sortingIn(undefined)).toBeUndefined()
  expect(buildListBody({ sort: '-score' })).toEqual({ sort: [{ field: 'score', order: 'desc' }] })
  expect(buildListBody({ search: 'x' })).toEqual({ search: 'x' })
})

test('an address that somebody has typed may contain anything: malformed filters and texts are ignored', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('where', 'search', 'sort', 'plugin', 'from'), fc.jsonValue()), raw => {
      const { where, search } = readListSearch(raw)
      expect(where === undefined || (typeof where === 'object' && !Array.isArray(where))).toBe(true)
      expect(search === undefined || search !== '').toBe(true)
      expect(typeof (readSendSearch(raw).plugin ?? '')).toBe('string')
      expect(() => toMessageQuery(readMessageSearch(raw))).not.toThrow()
    }),
  )
})

test('messages are requested by a number, a process, a job, or filters: never by two of these', () => {
  expect(toMessageQuery(readMessageSearch({ phoneNumber: '+91 94483-00007', status: 'FAILED' }))).toEqual({
    phoneNumber: '919448300007',
  })
  expect(toMessageQuery(readMessageSearch({ process: 'p', backgroundJob: 'j' }))).toEqual({ process: 'p' })
  expect(toMessageQuery(readMessageSearch({ backgroundJob: 'j', plugin: 'x' }))).toEqual({ backgroundJob: 'j' })
  expect(toMessageQuery(readMessageSearch({ status: 'LOST', direction: 'INBOUND', from: 'soon' }))).toEqual({
    direction: 'INBOUND',
  })
})

test('days of messages are those of the reader, the last one included', () => {
  const { from, to } = toMessageQuery(readMessageSearch({ from: '2026-11-01', to: '2026-11-01' }))
  expect([from, to]).toEqual(['2026-11-01T00:00:00-04:00', '2026-11-02T00:00:00-05:00'].map(Date.parse))
})

test('a procedure whose name is that of a page is addressed by its id', () => {
  expect(definitionAddress({ shortId: 'lead', id: '1' })).toBe('/procedure/lead')
  expect(definitionAddress({ shortId: 'new', id: '1' })).toBe('/procedure/1')
  expect(definitionAddress({ shortId: 'a.b', id: '1' })).toBe('/procedure/a.b')
})

test('a number of digits is shown as an international one', () => {
  expect(['919448300007', '+91 94483', ''].map(formatPhone)).toEqual(['+919448300007', '+91 94483', ''])
})

test.each([
  ['Firefox on Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0'],
  [
    'Edge on Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0',
  ],
  [
    'Safari on iOS',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  ],
  [
    'Chrome on Android',
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  ],
  ['A browser', 'curl/8'],
])('%s is recognised by the user agent of the browser', (words, agent) => {
  expect(formatAgent(agent)).toBe(words)
})

test('jobs are requested by the filters of the address, and mistyped ones are ignored', () => {
  const query = (address: object) => toJobQuery(readJobSearch({ ...address }))
  expect(query({ status: 'ERROR', by: 'u1', procedure: 'p1' })).toEqual({
    completionStatus: 'ERROR',
    createdBy: 'u1',
    procedure: 'p1',
  })
  expect(readJobSearch({ status: 'LOST', by: '', procedure: null, from: 'soon', to: 7, more: 'x' })).toEqual({})
  const { from, to } = query({ from: '2026-11-01', to: '2026-11-01' })
  // The clocks are set back on this day.
  expect(Number(to) - Number(from)).toBe(25 * 3_600_000)
})

test('an address whose filter was cut is about nothing, instead of about all processes, also when it is opened again', () => {
  for (const where of ['{"state":["OP', 7, true, null, [{ state: 'OPEN' }]]) {
    for (const readSearch of [readListSearch, readSendSearch]) {
      const search = readSearch({ where })
      expect(search).toMatchObject({ where: undefined, hasBrokenFilter: true })
      expect(readSearch(JSON.parse(JSON.stringify(search))).hasBrokenFilter).toBe(true)
    }
  }
  for (const where of [undefined, '', {}, { state: 'OPEN' }])
    expect(readSendSearch({ where }).hasBrokenFilter).toBeUndefined()
})
