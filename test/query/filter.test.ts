import { describe, expect, test } from 'vitest'
import { reportFaults } from '../../src/errors.ts'
import {
  CONDITIONS_MAX,
  FILTER_BYTES_MAX,
  NESTED_QUERIES_MAX,
  parseFilter,
  VALUES_PER_LIST_MAX,
} from '../../src/process/query/read/filter.ts'
import { listReferences } from '../../src/process/query/read/references.ts'
import { parseSort } from '../../src/process/query/read/sort.ts'
import { LEADS } from '../support/leads.ts'

const ADA = '018f0000-0000-7000-8000-00000000000a'
const USERS = new Map([
  ['ada', ADA],
  [ADA, ADA],
])

const read = (where: unknown) => parseFilter(where, LEADS, { users: USERS, now: Date.now })
const listFaults = (where: unknown) =>
  reportFaults(read(where).faults).map(({ path, hint, message }) => [path, hint, message])

describe('a filter is refused, with the place and a correction,', () => {
  const cases: [string, unknown, string, string | undefined, RegExp][] = [
    ['when it is no object', [], '/body/where', undefined, /must be an object/],
    ['when it is null', null, '/body/where', undefined, /must be an object/],
    ['for a status that does not exist', { status: 'Open' }, '/body/where/status', 'OPEN', /"Open" is not a status/],
    ['for a status spelt the British way', { status: 'CANCELED' }, '/body/where/status', 'CANCELLED', /not a status/],
    ['for a state of another procedure', { state: 'visti' }, '/body/where/state', 'visit', /not a state of leads/],
    ['for a state that is like none', { state: 'abracadabra' }, '/body/where/state', undefined, /not a state/],
    ['for a user nobody knows', { assignedTo: 'adda' }, '/body/where/assignedTo', 'ada', /"adda" is not the id/],
    ['for an id that is no UUID', { id: 'x' }, '/body/where/id', undefined, /not a UUID/],
    [
      'for a timestamp without an offset',
      { createdAt: { '>': '2026-01-31T10:00:00' } },
      '/body/where/createdAt/>',
      '2026-01-31T10:00:00Z',
      /lacks an offset/,
    ],
    [
      'for a day without a time',
      { createdAt: '2026-01-31' },
      '/body/where/createdAt',
      '2026-01-31T00:00:00Z',
      /offset/,
    ],
    [
      'for a day that does not exist',
      { createdAt: '2026-02-31T00:00:00Z' },
      '/body/where/createdAt',
      undefined,
      /exists/,
    ],
    ['for epoch seconds', { updatedAt: { '<': 1750000000 } }, '/body/where/updatedAt/<', '1750000000000', /seconds/],
    ['for quoted seconds', { nextActionAt: '1750000000' }, '/body/where/nextActionAt', '1750000000000', /seconds/],
    ['for half a millisecond', { createdAt: 1750000000000.5 }, '/body/where/createdAt', undefined, /whole number/],
    ['for a boolean as a time', { createdAt: true }, '/body/where/createdAt', undefined, /ISO 8601/],
    ['for null where there is always a value', { state: [null] }, '/body/where/state/0', undefined, /always set/],
    ['for an order among states', { state: { '>': 'new' } }, '/body/where/state/>', undefined, /no order/],
    ['for an order among users', { assignedTo: { '<=': 'ada' } }, '/body/where/assignedTo/<=', undefined, /no order/],
    ['for an order among true and false', { hot: { '>': 0 } }, '/body/where/hot/>', undefined, /no order/],
    [
      'for an order against a list',
      { value: { '>': [1] } },
      '/body/where/value/>',
      undefined,
      /one number or one text/,
    ],
    ['for an order against null', { value: { '>': null } }, '/body/where/value/>', undefined, /one number or one text/],
    ['for an order against true', { other: { '>': true } }, '/body/where/other/>', undefined, /one number or one text/],
    ['for a number where text is declared', { city: 105 }, '/body/where/city', '"105"', /"city" must be text/],
    [
      'for text where a number is declared',
      { value: 'high' },
      '/body/where/value',
      undefined,
      /"value" must be a number/,
    ],
    [
      'for digits that a number loses',
      { score: '12345678901234567' },
      '/body/where/score',
      'the last ones of a longer one are not kept',
      /at most 15 digits/,
    ],
    ['for text where true or false is declared', { hot: 'true' }, '/body/where/hot', 'true', /true or false/],
    ['for true where a date is declared', { due: true }, '/body/where/due', undefined, /"due" must be a date/],
    ['for a number among declared texts', { tags: ['a', 5] }, '/body/where/tags/1', '"5"', /"tags" must be text/],
    ['for text among declared numbers', { sizes: { '=': ['x'] } }, '/body/where/sizes/=/0', undefined, /number/],
    ['for an object as a value', { city: { '=': { a: 1 } } }, '/body/where/city/=', undefined, /can be compared/],
    ['for a list in a list', { city: [['a']] }, '/body/where/city/0', undefined, /can be compared/],
    ['for an operator of another language', { value: { $gte: 5 } }, '/body/where/value/$gte', '>=', /Unknown operator/],
    [
      'for a word that every object knows',
      { value: JSON.parse('{"__proto__": 5}') },
      '/body/where/value/__proto__',
      undefined,
      /Unknown/,
    ],
    ['for a doubled operator', { value: { '==': 5 } }, '/body/where/value/==', '=', /Unknown operator/],
    ['for no operator', { value: {} }, '/body/where/value', undefined, /at least one operator/],
    ['for an empty "or"', { or: [] }, '/body/where/or', undefined, /at least one query/],
    ['for an empty "and"', { and: [] }, '/body/where/and', undefined, /at least one query/],
    ['for an "or" that is no list', { or: { city: 'a' } }, '/body/where/or', undefined, /must be a list/],
    ['for a value in an "or"', { or: [5] }, '/body/where/or/0', undefined, /must be an object/],
    ['for an unknown connective', { $or: [{}] }, '/body/where/$or', 'or', /Unknown operator/],
    ['for a negation', { not: { city: 'a' } }, '/body/where/not', 'and, or, or a field with {"!=": value}', /field/],
    [
      'for an operator in place of a field',
      { '>': 5 },
      '/body/where/>',
      'and, or, or a field with {"!=": value}',
      /field/,
    ],
    [
      'for the start of a number',
      { score: { startsWith: '1' } },
      '/body/where/score/startsWith',
      undefined,
      /is a number/,
    ],
    ['for a part of true', { hot: { contains: 't' } }, '/body/where/hot/contains', undefined, /true or false/],
    ['for a part of numbers', { sizes: { contains: '1' } }, '/body/where/sizes/contains', undefined, /is a number/],
    [
      'for the start of a time',
      { createdAt: { startsWith: '2026' } },
      '/body/where/createdAt/startsWith',
      undefined,
      /does not take startsWith/,
    ],
    ['for a part of an id', { id: { contains: 'a' } }, '/body/where/id/contains', undefined, /does not take contains/],
    [
      'for a part of a user',
      { assignedTo: { contains: 'a' } },
      '/body/where/assignedTo/contains',
      undefined,
      /does not/,
    ],
    [
      'for a part of a phone number of a customer',
      { 'record.phone': { contains: '9' } },
      '/body/where/record.phone/contains',
      undefined,
      /does not take contains/,
    ],
    [
      'for a start that no state has',
      { state: { startsWith: 'vist' } },
      '/body/where/state/startsWith',
      'visit',
      /no state of leads starts with/,
    ],
    ['for a number as a part', { city: { contains: 105 } }, '/body/where/city/contains', '"105"', /compares with text/],
    ['for null as a part', { city: { contains: null } }, '/body/where/city/contains', undefined, /one text, or a list/],
    [
      'for an object as a start',
      { city: { startsWith: {} } },
      '/body/where/city/startsWith',
      undefined,
      /one text, or/,
    ],
    ['for an empty part', { city: { contains: ['a', ''] } }, '/body/where/city/contains/1', undefined, /at least one/],
    [
      'for half a character',
      { city: { contains: '\ud83d' } },
      '/body/where/city/contains',
      undefined,
      /half a character/,
    ],
    [
      'for a part of 101 characters',
      { city: { contains: '😀'.repeat(101) } },
      '/body/where/city/contains',
      undefined,
      /at most 100/,
    ],
    [
      'for another spelling of an operator',
      { city: { starts_with: 'P' } },
      '/body/where/city/starts_with',
      'startsWith',
      /Unknown/,
    ],
    ['for LIKE', { city: { $like: '%P%' } }, '/body/where/city/$like', 'contains', /Unknown operator/],
  ]
  test.each(cases)('%s', (_, where, path, hint, message) => {
    expect(listFaults(where)).toEqual([[path, hint, expect.stringMatching(message)]])
  })

  test('for everything at once, with pointers that escape slashes and tildes', () => {
    const where = { 'a/b~c': { '>': null }, or: [{ status: 'x' }, { and: [{ state: 'y' }, { city: 'fine' }] }] }
    expect(read(where).faults.map(({ path }) => path)).toEqual([
      '/body/where/a~1b~0c/>',
      '/body/where/or/0/status',
      '/body/where/or/1/and/0/state',
    ])
    expect(parseFilter({ status: 'x' }, LEADS, { users: USERS, now: Date.now }, '/query').faults[0]?.path).toBe(
      '/query/status',
    )
  })
})

describe('a filter may be as large as the limits say, and not larger:', () => {
  const nested = (depth: number): unknown => (depth === 1 ? { city: 'a' } : { and: [nested(depth - 1)] })
  const texts = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`)
  const many = (count: number) => ({ or: Array.from({ length: count }, (_, index) => ({ city: `c${index}` })) })
  const long = (count: number) => ({ city: Array.from({ length: count }, (_, index) => `c${index}`) })

  test.each([
    ['depth', nested(NESTED_QUERIES_MAX), nested(NESTED_QUERIES_MAX + 1), String(NESTED_QUERIES_MAX)],
    ['conditions', many(CONDITIONS_MAX), many(CONDITIONS_MAX + 1), String(CONDITIONS_MAX)],
    [
      'conditions by operator',
      { value: { '>': 1, '<': 5 } },
      { and: Array(33).fill({ value: { '>': 1, '<': 5 } }) },
      '64',
    ],
    ['texts that are searched', { city: { contains: texts(64) } }, { city: { contains: texts(65) } }, '64'],
    [
      'texts that are searched, with others',
      { city: { contains: texts(63) }, score: 1 },
      { city: { contains: texts(64) }, score: 1 },
      '64',
    ],
    ['values', long(VALUES_PER_LIST_MAX), long(VALUES_PER_LIST_MAX + 1), String(VALUES_PER_LIST_MAX)],
    ['bytes', { city: 'é' }, { city: 'é'.repeat(FILTER_BYTES_MAX / 2) }, String(FILTER_BYTES_MAX)],
  ])('%s', (_, within, beyond, limit) => {
    expect(listFaults(within)).toEqual([])
    expect(read(beyond).faults[0]?.message).toContain(limit)
  })
})

describe('a filter is parsed:', () => {
  const equal = (where: unknown) => {
    const { condition, faults } = read(where)
    expect(faults).toEqual([])
    return condition.kind === 'equal' ? condition.values : condition
  }

  test('a status is its number, a user an id, a time milliseconds', () => {
    expect(equal({ status: 'COMPLETED' })).toEqual([2])
    expect(equal({ assignedTo: 'ada' })).toEqual([ADA])
    expect(equal({ createdAt: '2026-01-31T15:00:00.5+05:30' })).toEqual([Date.UTC(2026, 0, 31, 9, 30, 0, 500)])
    expect(equal({ createdAt: '2026-01-31T15:00+0530' })).toEqual([Date.UTC(2026, 0, 31, 9, 30)])
    expect(equal({ id: ADA.toUpperCase() })).toEqual([ADA])
  })

  test('values take the declared type, and without one, a number and its text are one', () => {
    expect(equal({ value: '105.50' })).toEqual([105.5])
    expect(equal({ sizes: ['7'] })).toEqual([7])
    expect(equal({ other: 105 })).toEqual([105, '105'])
    expect(equal({ other: '105' })).toEqual(['105', 105])
    expect(equal({ other: '105.0' })).toEqual(['105.0'])
    expect(equal({ other: 'Infinity' })).toEqual(['Infinity'])
  })

  test('a name like one of our fields is an attribute all the same', () => {
    expect(equal({ Status: 'x' })).toEqual(['x'])
    expect(equal({ constructor: 'x' })).toEqual(['x'])
  })

  test('a list without values matches nothing, and its opposite everything', () => {
    expect(equal({ city: [] })).toEqual({ kind: 'any', parts: [] })
    expect(equal({ city: { '!=': [] } })).toEqual({ kind: 'all', parts: [] })
  })

  test('a searched text is lowered, and one that another one implies is left out', () => {
    const searched = (where: unknown) => {
      const { condition, faults } = read(where)
      expect(faults).toEqual([])
      return condition.kind === 'text' ? condition.patterns : condition
    }
    expect(searched({ city: { startsWith: ['PUNE', 'pu', 'Éa', 'x'] } })).toEqual(['pu', 'Éa', 'x'])
    expect(searched({ city: { contains: ['PUNE', 'un', 'un'] } })).toEqual(['un'])
    expect(searched({ number: { startsWith: '10' } })).toEqual(['10'])
    expect(searched({ due: { startsWith: '2026-05' } })).toEqual(['2026-05'])
    expect(searched({ city: { contains: [] } })).toEqual({ kind: 'any', parts: [] })
    expect(equal({ state: { startsWith: ['N', 'WO'] } })).toEqual(['new', 'won'])
    expect(equal({ state: { contains: 'I' } })).toEqual(['visit'])
  })

  test('every user that it names is listed beforehand', () => {
    const where = {
      assignedTo: 'a',
      or: [{ assignedTo: ['b', null] }, { and: [{ assignedTo: { '!=': 'c' } }] }],
      city: 'd',
    }
    expect(listReferences(where, LEADS).users.sort()).toEqual(['a', 'b', 'c'])
    expect(listReferences('nonsense', LEADS).users).toEqual([])
  })
})

describe('a sort is refused', () => {
  test('by a field that is misspelled or has no index, with what would do', () => {
    const sort = [
      { field: 'createdat', order: 'asc' as const },
      { field: 'score', order: 'asc' as const },
      { field: 'number', order: 'desc' as const },
    ]
    const { faults } = parseSort(sort, LEADS)
    expect(reportFaults(faults).map(({ path, hint }) => [path, hint])).toEqual([
      ['/body/sort/0/field', 'createdAt'],
      ['/body/sort/1/field', 'its definition may say "indexed": true'],
    ])
  })

  test('by more fields than the limit', () => {
    const { faults } = parseSort(Array(5).fill({ field: 'city', order: 'asc' }), LEADS)
    expect(faults[0]?.path).toBe('/body/sort')
  })
})
