import fc from 'fast-check'
import { firstRidAt } from '../../src/ids.ts'
import type { Attribute, AttributeType, Procedure } from '../../src/procedure/model.ts'
import { ATTRIBUTE_TYPES } from '../../src/procedure/model.ts'
import type { Asked } from './oracle.ts'
import type { Known } from './stored.ts'
import { idOf } from './stored.ts'

/** Random procedures, processes and queries about them, drawn from small pools so that they often meet. */

export const USERS = new Map([
  ['ada', '018f0000-0000-7000-8000-00000000000a'],
  ['grace', '018f0000-0000-7000-8000-00000000000b'],
])
const STATES = ['new', 'visit', 'won']
const START_MS = 1_750_000_000_000
const SPAN_MS = 40

const NAMES = [
  ...['amount', 'a.b', 'q"uote', "it's", '[0]', '$', '#-1', '', '日本', '😀', 'back\\slash', '~', 'a b', 'line\nbreak'],
  ...['constructor', '__proto__', 'toString', '~0022', 'city', '*', '%', 'é', '105'],
]
const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('', 'a', 'b', 'B', '105', '105.0', '1e21', '1e+21', 'true', 'null', '["a"]', '0'),
  },
  { weight: 2, arbitrary: fc.constantFrom('é', '日本', '😀', '\uffff', "it's", 'a%', '\\', '"', '{}', '[]') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
)
const number = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, -1, 105, 105.5, 0.1, -0.5) },
  { weight: 1, arbitrary: fc.constantFrom(1e21, 2 ** 53, -(2 ** 60), 1.5e-7, 12345678901234567e3, 1e300) },
  { weight: 1, arbitrary: fc.integer({ min: -3, max: 6 }) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
)
const scalar = fc.oneof(text, number, fc.boolean())
const anything = fc.oneof(
  { weight: 6, arbitrary: scalar },
  {
    weight: 2,
    arbitrary: fc.array(fc.oneof({ weight: 6, arbitrary: scalar }, fc.constant(null), fc.constant(['a'])), {
      maxLength: 3,
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom({}, { a: 'a' }, { type: 'text', value: 'a' }) },
)

const TYPES = Object.keys(ATTRIBUTE_TYPES) as AttributeType[]
const SLOT_KINDS = ['text', 'number', 'boolean', 'moment']

const procedures = fc
  .record({
    names: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 3, maxLength: 8 }),
    types: fc.array(fc.constantFrom(...TYPES, 'string', 'integer', 'boolean', 'date'), { minLength: 8, maxLength: 8 }),
    declared: fc.integer({ min: 1, max: 8 }),
    indexed: fc.array(fc.constantFrom('ready', 'ready', 'filling', 'no'), { minLength: 8, maxLength: 8 }),
    firstColumn: fc.integer({ min: 1, max: 8 }),
    primaryKey: fc.option(fc.nat({ max: 7 })),
  })
  .map(({ names, types, declared, indexed, firstColumn, primaryKey }) => {
    const attributes = names.slice(0, declared).map((shortId, index): Attribute => {
      const type = (types[index] ?? 'string') as AttributeType
      return { shortId, name: shortId, type, required: false, indexed: indexed[index] !== 'no' }
    })
    const key = primaryKey === null ? null : (names[primaryKey] ?? null)
    const slots = attributes.flatMap(({ shortId, indexed: wanted, type }, index) => {
      if (!wanted || shortId === key) return []
      const ready = indexed[index] === 'ready' && SLOT_KINDS.includes(ATTRIBUTE_TYPES[type])
      return [[shortId, { column: firstColumn + index, ready }] as const]
    })
    const procedure: Procedure = {
      ...{ no: 7, id: 'procedure', shortId: 'case', name: 'Case', version: 3, createdAt: 0, updatedAt: 0 },
      ...{ states: STATES.map(shortId => ({ shortId, name: shortId })), startState: 'new', completedState: 'won' },
      ...{ attributes, primaryKey: key, phoneAttribute: null, strict: false },
      slots: Object.fromEntries(slots),
    }
    return { procedure, names }
  })

/** What may be stored: once a slot is ready, no list, and true and false exactly where they are declared. */
function storable(procedure: Procedure, name: string): fc.Arbitrary<unknown> {
  const type = procedure.attributes.find(each => each.shortId === name)?.type
  if (!Object.hasOwn(procedure.slots, name) || procedure.slots[name]?.ready !== true) return anything
  return type === 'boolean' ? fc.oneof({ weight: 4, arbitrary: fc.boolean() }, text) : fc.oneof(text, number)
}

function processesOf(procedure: Procedure, names: string[]): fc.Arbitrary<Known[]> {
  const { primaryKey } = procedure
  const values = names
    .filter(name => name !== primaryKey)
    .map(name => fc.tuple(fc.constant(name), fc.option(storable(procedure, name), { freq: 3 })))
  const one = fc.record({
    ms: fc.nat({ max: SPAN_MS }),
    tail: fc.nat({ max: 4095 }),
    status: fc.constantFrom<Known['status'][]>('OPEN', 'OPEN', 'COMPLETED', 'CANCELLED'),
    state: fc.constantFrom(...STATES),
    assignedTo: fc.constantFrom(null, ...USERS.values()),
    nextActionAt: fc.option(fc.integer({ min: START_MS, max: START_MS + 4 }), { freq: 2 }),
    updatedAt: fc.integer({ min: START_MS, max: START_MS + 9 }),
    data: fc.tuple(...values),
    key: fc.option(fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 200 }).map(String), text), { freq: 4 }),
  })
  const select = ({ ms, tail }: { ms: number; tail: number }) => ms * 4096 + tail
  return fc.uniqueArray(one, { maxLength: 70, selector: select, size: 'max' }).map(list => {
    const taken = new Set<string>()
    return list.map(({ ms, tail, data, key, ...roots }) => {
      const rid = firstRidAt(START_MS + ms) + tail
      const set = data.filter(([, value]) => value !== null)
      if (primaryKey !== null && key !== null && !taken.has(String(key))) {
        taken.add(String(key))
        set.push([primaryKey, key])
      }
      return { rid, id: idOf(rid), ...roots, data: Object.fromEntries(set) }
    })
  })
}

/** Values that a filter on the attribute accepts. */
function filterable(procedure: Procedure, name: string, seen: unknown[]): fc.Arbitrary<unknown> {
  const type = procedure.attributes.find(each => each.shortId === name)?.type
  const numbers = fc.oneof(number, number, fc.constantFrom('105', '0', '-0.5', '105.0'))
  const known = (accepts: (value: unknown) => boolean, otherwise: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => {
    const fitting = seen.filter(accepts)
    return fitting.length === 0 ? otherwise : fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...fitting) }, otherwise)
  }
  const isText = (value: unknown) => typeof value === 'string'
  const isNumber = (value: unknown) => typeof value === 'number'
  const isScalar = (value: unknown) => isText(value) || isNumber(value) || typeof value === 'boolean'
  if (type === undefined) return known(isScalar, scalar)
  if (type === 'multiIntegerEnum' || type === 'multiFloatEnum') return known(isNumber, numbers)
  switch (ATTRIBUTE_TYPES[type]) {
    case 'text':
    case 'list':
      return known(isText, text)
    case 'number':
      return known(isNumber, numbers)
    case 'boolean':
      return fc.boolean()
    case 'moment':
      return known(value => isText(value) || isNumber(value), fc.oneof(text, number))
    case 'document':
      return known(isScalar, scalar)
  }
}

function sidesOf(values: fc.Arbitrary<unknown>, nullable: boolean, ordered: boolean): fc.Arbitrary<unknown> {
  const maybe = nullable ? fc.oneof({ weight: 5, arbitrary: values }, fc.constant(null)) : values
  const list = fc.oneof(
    { weight: 4, arbitrary: fc.array(maybe, { maxLength: 4 }) },
    fc.array(maybe, { minLength: 5, maxLength: 12 }),
  )
  const equality = fc.oneof({ weight: 2, arbitrary: maybe }, list)
  const bound = values.filter(value => typeof value !== 'boolean')
  const operators = fc.record(
    {
      '=': equality,
      '!=': equality,
      ...(ordered ? { '>': bound, '>=': bound, '<': bound, '<=': bound } : {}),
    },
    { requiredKeys: [] },
  )
  const some = operators.filter(each => Object.keys(each).length > 0 && Object.keys(each).length < 4)
  return fc.oneof({ weight: 3, arbitrary: maybe }, list, { weight: 3, arbitrary: some })
}

const times = fc.oneof(
  fc.integer({ min: START_MS - 1, max: START_MS + SPAN_MS + 1 }),
  fc.integer({ min: START_MS - 1, max: START_MS + 6 }).map(ms => new Date(ms).toISOString()),
)

function wheres(procedure: Procedure, names: string[], processes: Known[]): fc.Arbitrary<Record<string, unknown>> {
  const ids = processes.length === 0 ? [idOf(5)] : processes.map(({ id }) => id)
  const roots: [string, fc.Arbitrary<unknown>, boolean, boolean][] = [
    ['status', fc.constantFrom('OPEN', 'COMPLETED', 'CANCELLED'), false, false],
    ['state', fc.constantFrom(...STATES), false, false],
    ['assignedTo', fc.constantFrom(...USERS.keys(), ...USERS.values()), true, false],
    ['id', fc.constantFrom(...ids, idOf(12345), ids[0]?.toUpperCase() ?? ''), false, false],
    ['createdAt', times, false, true],
    ['updatedAt', times, false, true],
    ['nextActionAt', times, true, true],
  ]
  const attributes = [...names, 'never'].map((name): [string, fc.Arbitrary<unknown>, boolean, boolean] => {
    const type = procedure.attributes.find(each => each.shortId === name)?.type
    const seen = processes.flatMap(({ data }) => (Object.hasOwn(data, name) ? data[name] : undefined))
    return [name, filterable(procedure, name, seen), true, type !== 'boolean']
  })
  const entry = fc.oneof(
    ...[...roots, ...attributes, ...attributes].map(([name, values, nullable, ordered]) =>
      fc.tuple(fc.constant(name), sidesOf(values, nullable, ordered)),
    ),
  )
  const plain = fc.array(entry, { maxLength: 3 }).map(entries => Object.fromEntries(entries))
  const { query } = fc.letrec<{ query: Record<string, unknown> }>(tie => ({
    query: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'query' },
      { weight: 3, arbitrary: plain },
      nested(plain, tie('query')),
    ),
  }))
  return query.filter(each => leaves(each) <= 64)
}

const nested = (plain: fc.Arbitrary<Record<string, unknown>>, query: fc.Arbitrary<Record<string, unknown>>) =>
  fc
    .record({
      siblings: plain,
      and: fc.option(fc.array(query, { minLength: 1, maxLength: 3 }), { freq: 1 }),
      or: fc.option(fc.array(query, { minLength: 1, maxLength: 4 }), { freq: 2 }),
    })
    .map(({ siblings, and, or }) =>
      Object.fromEntries([
        ...Object.entries(siblings),
        ...(and === null ? [] : [['and', and]]),
        ...(or === null ? [] : [['or', or]]),
      ]),
    )

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const leaves = (query: Record<string, unknown>): number =>
  Object.entries(query).reduce((sum, [key, side]) => {
    if (key !== 'and' && key !== 'or') return sum + (isObject(side) ? Object.keys(side).length : 1)
    return sum + (side as Record<string, unknown>[]).reduce((inner, each) => inner + leaves(each), 0)
  }, 0)

/** Every query that lacks one thing of a query. */
export function* smaller(query: unknown): Generator<unknown> {
  if (typeof query !== 'object' || query === null) return
  const entries = Object.entries(query)
  const rebuilt = (parts: [string, unknown][]) =>
    Array.isArray(query) ? parts.map(([, part]) => part) : Object.fromEntries(parts)
  for (const [index, [key, part]] of entries.entries()) {
    if (entries.length > 1 || !Array.isArray(query)) yield rebuilt(entries.toSpliced(index, 1))
    for (const less of smaller(part)) yield rebuilt(entries.toSpliced(index, 1, [key, less]))
  }
}

export interface Question extends Asked {
  skip: number
  limit: number
  /** Whether statements may do so little that every query takes several. */
  cramped: boolean
}

export interface Exam {
  procedure: Procedure
  processes: Known[]
  questions: Question[]
}

export const exams = (questions: number): fc.Arbitrary<Exam> =>
  procedures.chain(({ procedure, names }) =>
    processesOf(procedure, names).chain(processes => {
      const sortable = [
        ...['createdAt', 'updatedAt', 'nextActionAt', 'status', 'state', 'assignedTo', 'id'],
        ...procedure.attributes.filter(each => each.indexed).map(each => each.shortId),
        ...(procedure.primaryKey === null ? [] : [procedure.primaryKey]),
      ]
      const sort: fc.Arbitrary<Asked['sort']> = fc.array(
        fc.record({ field: fc.constantFrom(...sortable), order: fc.constantFrom<('asc' | 'desc')[]>('asc', 'desc') }),
        { maxLength: 2 },
      )
      const question = fc.record({
        where: wheres(procedure, names, processes),
        sort: fc.oneof(fc.constant<Asked['sort']>([]), sort),
        skip: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat({ max: 20 })),
        limit: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 12 }) }, fc.constant(100)),
        cramped: fc.boolean(),
      })
      const asked = fc.array(question, { minLength: questions, maxLength: questions, size: 'max' })
      return asked.map(list => ({ procedure, processes, questions: list }))
    }),
  )
