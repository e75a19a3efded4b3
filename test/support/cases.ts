import fc from 'fast-check'
import { jsonPath } from '../../src/db/document/json.ts'
import { getFirstRid } from '../../src/ids.ts'
import type { Attribute, AttributeType, Procedure } from '../../src/procedure/model.ts'
import { ATTRIBUTE_TYPES } from '../../src/procedure/model.ts'
import { SECOND_MS } from '../../src/time-units.ts'
import type { Customer, Known } from './stored.ts'
import { toId } from './stored.ts'
import { storableText } from './unicode.ts'
import { ENUM_VALUES, TYPES } from './values.ts'

/** Random procedures and processes, drawn from small pools so that their values often meet. */

export const USERS = new Map([
  ['ada', '018f0000-0000-7000-8000-00000000000a'],
  ['grace', '018f0000-0000-7000-8000-00000000000b'],
])
export const STATES = ['new', 'visit', 'won']
/** On June 15th of 2025: in UTC in the afternoon, in Apia on the day after. */
export const START_MS = 1_750_000_000_000
export const SPAN_MS = 40
/** The time of the queries. */
export const NOW_MS = START_MS + SPAN_MS / 2

const CUSTOMERS_MAX = 12
export const CUSTOMERS: readonly Customer[] = Array.from({ length: CUSTOMERS_MAX }, (_, nth) => {
  const rid = getFirstRid(START_MS) - 1 - nth
  return { rid, id: toId(rid), phone: `91944830000${nth}`, email: `c${nth}@example.com` }
})

const NAMES = [
  ...['amount', 'a.b', 'q"uote', "it's", '[0]', '$', '#-1', '', '日本', '😀', 'back\\slash', '~', 'a b', 'line\nbreak'],
  ...['constructor', '__proto__', 'toString', '~0022', 'city', '*', '%', 'é', '105'],
]
export const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('', 'a', 'b', 'B', '105', '105.0', '1e21', '1e+21', 'true', 'null', '["a"]', '0'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('Pune', 'PUNE', 'pune-1', 'Pune-12', 'pUnAb', 'puzzle', 'É-1a', 'é-1A', '😀a😀'),
  },
  { weight: 2, arbitrary: fc.constantFrom('é', '日本', '😀', '\uffff', "it's", 'a%', '\\', '"', '{}', '[]') },
  { weight: 2, arbitrary: storableText(4) },
)
export const number = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, -1, 105, 105.5, 0.1, -0.5) },
  { weight: 1, arbitrary: fc.constantFrom(1e21, 2 ** 53, -(2 ** 60), 1.5e-7, 12345678901234567e3, 1e300) },
  { weight: 1, arbitrary: fc.integer({ min: -3, max: 6 }) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
)
export const scalar = fc.oneof(text, number, fc.boolean())
const list = fc.array(fc.oneof({ weight: 6, arbitrary: scalar }, fc.constant(null), fc.constant(['a'])), {
  maxLength: 3,
})
const anything = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: list },
  { weight: 1, arbitrary: fc.constantFrom({}, { a: 'a' }, { type: 'text', value: 'a' }) },
)

const SLOT_KINDS = ['text', 'number', 'boolean', 'moment', 'list']

export const procedures = fc
  .record({
    names: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 5, maxLength: 8 }),
    types: fc.array(fc.constantFrom(...TYPES, 'string', 'integer', 'boolean', 'date', 'datetime', 'multiString'), {
      minLength: 8,
      maxLength: 8,
    }),
    declared: fc.integer({ min: 1, max: 5 }),
    indexed: fc.array(fc.constantFrom('ready', 'ready', 'filling', 'no'), { minLength: 8, maxLength: 8 }),
    firstColumn: fc.integer({ min: 1, max: 8 }),
    primaryKey: fc.option(fc.nat({ max: 7 })),
  })
  .map(({ names, types, declared, indexed, firstColumn, primaryKey }) => {
    const attributes = names.slice(0, declared).map((shortId, index): Attribute => {
      const type = (types[index] ?? 'string') as AttributeType
      const values = ENUM_VALUES[type]
      const plain = { shortId, name: shortId, type, required: false, indexed: indexed[index] !== 'no' }
      return values ? { ...plain, values } : plain
    })
    const key = primaryKey === null ? null : (names[primaryKey] ?? null)
    const slots = attributes.flatMap(({ shortId, indexed: wanted, type }, index) => {
      if (!wanted || shortId === key) return []
      const ready = indexed[index] === 'ready' && SLOT_KINDS.includes(ATTRIBUTE_TYPES[type])
      const list = ATTRIBUTE_TYPES[type] === 'list' ? { listPath: jsonPath(shortId) } : {}
      return [[shortId, { column: firstColumn + index, ready, ...list }] as const]
    })
    const procedure: Procedure = {
      no: 7,
      id: 'procedure',
      shortId: 'case',
      name: 'Case',
      version: 3,
      createdAt: 0,
      updatedAt: 0,
      states: STATES.map(shortId => ({ shortId, name: shortId })),
      startState: 'new',
      completedState: 'won',
      attributes,
      primaryKey: key,
      phoneAttribute: null,
      strict: false,
      slots: Object.fromEntries(slots),
    }
    return { procedure, names }
  })

const aroundNow = fc
  .tuple(fc.constantFrom(0, 1, 60, 3_600, 86_400, 31 * 86_400), fc.integer({ min: -2, max: 2 }), fc.nat({ max: 1 }))
  .map(([seconds, times, ms]) => NOW_MS + seconds * times * SECOND_MS + ms)
/** Days and times near the one of the question, so that relative ones fall among them. */
const DATED: Partial<Record<AttributeType, fc.Arbitrary<unknown>>> = {
  date: aroundNow.map(ms => new Date(ms).toISOString().slice(0, 10)),
  datetime: aroundNow,
  datetimeISO8601: fc
    .tuple(aroundNow, fc.constantFrom('Z', '.020Z', '', '+05:30', '-02:30'))
    .map(([ms, end]) => new Date(ms).toISOString().slice(0, 19) + end),
}

/**
 * Generates values that may be stored: once a slot is ready, no list, and true and false exactly where they are
 * declared; or, where it is one of lists, no document.
 */
function storable(procedure: Procedure, name: string): fc.Arbitrary<unknown> {
  const type = procedure.attributes.find(each => each.shortId === name)?.type
  const any = storableAnyhow(procedure, name, type)
  const dated = type === undefined ? undefined : DATED[type]
  return dated === undefined ? any : fc.oneof(any, dated)
}

function storableAnyhow(procedure: Procedure, name: string, type: AttributeType | undefined): fc.Arbitrary<unknown> {
  if (!Object.hasOwn(procedure.slots, name) || procedure.slots[name]?.ready !== true) return anything
  if (type !== undefined && ATTRIBUTE_TYPES[type] === 'list') return fc.oneof({ weight: 4, arbitrary: list }, scalar)
  return type === 'boolean' ? fc.oneof({ weight: 4, arbitrary: fc.boolean() }, text) : fc.oneof(text, number)
}

export function arbitraryProcesses(procedure: Procedure, names: string[]): fc.Arbitrary<Known[]> {
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
    record: fc.oneof(
      fc.constantFrom(null, ...CUSTOMERS.slice(0, 2).map(({ rid }) => rid)),
      fc.constantFrom(...CUSTOMERS.map(({ rid }) => rid)),
    ),
    updatedAt: fc.integer({ min: START_MS, max: START_MS + 9 }),
    data: fc.tuple(...values),
    key: fc.option(fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 200 }).map(String), text), { freq: 4 }),
  })
  const select = ({ ms, tail }: { ms: number; tail: number }) => ms * 4096 + tail
  return fc.uniqueArray(one, { maxLength: 70, selector: select, size: 'max' }).map(list => {
    const taken = new Set<string>()
    return list.map(({ ms, tail, data, key, ...roots }) => {
      const rid = getFirstRid(START_MS + ms) + tail
      const set = data.filter(([, value]) => value !== null)
      if (primaryKey !== null && key !== null && !taken.has(String(key))) {
        taken.add(String(key))
        set.push([primaryKey, key])
      }
      return { rid, id: toId(rid), ...roots, data: Object.fromEntries(set) }
    })
  })
}
