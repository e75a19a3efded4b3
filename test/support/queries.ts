import fc from 'fast-check'
import type { AttributeType, Procedure } from '../../src/procedure/model.ts'
import { ATTRIBUTE_TYPES } from '../../src/procedure/model.ts'
import {
  arbitraryProcesses,
  CUSTOMERS,
  number,
  procedures,
  SPAN_MS,
  START_MS,
  STATES,
  scalar,
  text,
  USERS,
} from './cases.ts'
import type { Asked } from './oracle.ts'
import { leaves } from './reduce.ts'
import { relativeTime, type TimeForm } from './relative-times.ts'
import type { Known } from './stored.ts'
import { toId } from './stored.ts'
import { compared, REFUSED } from './value-oracle.ts'

/** The number that a text is the canonical form of, or else the text. */
const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && String(Number(value)) === value && Number.isFinite(Number(value)) ? Number(value) : value

const numbers = fc.oneof(number, number, fc.constantFrom('105', '0', '-0.5', '105.0'))

/** Values of the types that take few of all texts. */
const OF_TYPE: Partial<Record<AttributeType, fc.Arbitrary<unknown>>> = {
  email: fc.constantFrom('asha@example.com', 'b@example.com'),
  user: fc.constantFrom(...USERS.keys(), ...USERS.values()),
  phone: fc.constantFrom('919448300000', '+91 94483'),
  url: fc.constantFrom('https://example.com', 'http://example.com/a'),
  datetimeISO8601: fc.constantFrom('2025-06-15T15:06:40', '2025-06-15T15:06:40Z', '2025-06-15T20:36:40+05:30'),
  date: fc.constantFrom('2025-06-14', '2025-06-15', '2025-06-16'),
  time: fc.constantFrom('09:30', 0, 1, 105),
}

/** Values that a filter on the attribute accepts: those that `data` takes. None for a place, which no scalar is. */
function filterable(procedure: Procedure, name: string, seen: unknown[]): fc.Arbitrary<unknown> | null {
  const attribute = procedure.attributes.find(each => each.shortId === name)
  const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)
  if (attribute === undefined) {
    const forms = seen
      .filter(isScalar)
      .flatMap(value => [value, typeof value === 'number' ? String(value) : asNumber(value)])
    return forms.length === 0 ? scalar : fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...forms) }, scalar)
  }
  const { type, values } = attribute
  if (type === 'geolocation') return null
  const accepts = (value: unknown) =>
    isScalar(value) && (type === 'user' ? USERS.has(String(value)) : compared(attribute, value) !== REFUSED)
  const any = { text, list: text, number: numbers, boolean: fc.boolean(), moment: number, document: scalar }
  const otherwise = OF_TYPE[type] ?? (values ? fc.constantFrom(...values) : any[ATTRIBUTE_TYPES[type]].filter(accepts))
  const fitting = seen.filter(accepts)
  return fitting.length === 0 ? otherwise : fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...fitting) }, otherwise)
}

/** Generates texts for `startsWith` and `contains`: mostly parts of stored texts, in other spellings. */
function arbitraryPatterns(seen: unknown[]): fc.Arbitrary<unknown> {
  const texts = seen
    .flat()
    .filter(each => typeof each === 'string' || typeof each === 'number')
    .map(String)
  const part = fc
    .tuple(fc.constantFrom('Pune-12', 'é-1A', '105', ...texts), fc.nat(4), fc.nat(6), fc.nat(2))
    .map(([value, start, length, spelling]) => {
      const chars = [...value].slice(start < 3 ? 0 : start - 2, (start < 3 ? 0 : start - 2) + 1 + length).join('')
      if (spelling === 0) return chars
      return spelling === 1 ? chars.toUpperCase() : chars.toLowerCase()
    })
  const pattern = fc.oneof({ weight: 4, arbitrary: part }, text).filter(isPattern)
  return fc.oneof({ weight: 3, arbitrary: pattern }, fc.array(pattern, { maxLength: 4 }))
}

const isPattern = (value: string): boolean => value !== '' && !/[\0\ud800-\udfff]/u.test(value) && value.length <= 100

function arbitrarySides(
  values: fc.Arbitrary<unknown> | null,
  nullable: boolean,
  ordered: boolean,
  patterns: fc.Arbitrary<unknown> | null,
  valuesMin = 0,
  form: TimeForm | null = null,
): fc.Arbitrary<unknown> {
  const any = values ?? fc.constant(null)
  // No time is asked for by what it is equal to, but a day is.
  const equal = form === 'day' ? fc.oneof({ weight: 2, arbitrary: any }, relativeTime(form)) : any
  const maybe = nullable ? fc.oneof({ weight: 5, arbitrary: equal }, fc.constant(null)) : equal
  const list = fc.oneof(
    { weight: 4, arbitrary: fc.array(maybe, { minLength: valuesMin, maxLength: 4 }) },
    fc.array(maybe, { minLength: 5, maxLength: 12 }),
  )
  const equality = fc.oneof({ weight: 2, arbitrary: maybe }, list)
  const plain = any.filter(value => typeof value !== 'boolean')
  const bound =
    form === null ? plain : fc.oneof({ weight: 3, arbitrary: plain }, { weight: 2, arbitrary: relativeTime(form) })
  const operators = fc.record(
    {
      '=': equality,
      '!=': equality,
      ...(ordered ? { '>': bound, '>=': bound, '<': bound, '<=': bound } : {}),
      ...(patterns === null ? {} : { startsWith: patterns, contains: patterns }),
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

type FieldSides = [
  name: string,
  values: fc.Arbitrary<unknown> | null,
  nullable: boolean,
  ordered: boolean,
  patterns: fc.Arbitrary<unknown> | null,
  valuesMin?: number,
  form?: TimeForm | null,
]

const hasText = (type: AttributeType): boolean =>
  !['number', 'boolean'].includes(ATTRIBUTE_TYPES[type]) && type !== 'multiIntegerEnum' && type !== 'multiFloatEnum'

const getForm = (type: AttributeType | undefined): TimeForm | null =>
  type === 'date' ? 'day' : type === 'datetime' || type === 'datetimeISO8601' ? 'time' : null

/** The last of them is in no database. */
const customers = [...CUSTOMERS, { id: toId(77), phone: '919999999999', email: 'nobody@example.com' }]

function wheres(procedure: Procedure, names: string[], processes: Known[]): fc.Arbitrary<Record<string, unknown>> {
  const ids = processes.length === 0 ? [toId(5)] : processes.map(({ id }) => id)
  const roots: FieldSides[] = [
    ['status', fc.constantFrom('OPEN', 'COMPLETED', 'CANCELLED'), false, false, null],
    ['state', fc.constantFrom(...STATES), false, false, fc.constantFrom('n', 'W', ['VIS', 'e'], 'won')],
    ['assignedTo', fc.constantFrom(...USERS.keys(), ...USERS.values()), true, false, null],
    [
      'id',
      fc.constantFrom(...ids, toId(12345), ids[0]?.toUpperCase() ?? '', ids[0]?.replace('-8000-', '-9000-') ?? ''),
      false,
      false,
      null,
    ],
    ['record', fc.constantFrom(...customers.flatMap(({ id }) => [id, id.toUpperCase()])), true, false, null],
    [
      'record.phone',
      fc.constantFrom<(string | number)[]>(
        ...customers.flatMap(({ phone }) => [phone, Number(phone), `+${phone.slice(0, 2)} ${phone.slice(2)}`]),
      ),
      false,
      false,
      null,
    ],
    [
      'record.email',
      fc.constantFrom(...customers.flatMap(({ email }) => [email, email.toUpperCase()])),
      false,
      false,
      null,
    ],
    ['createdAt', times, false, true, null, 0, 'time'],
    ['updatedAt', times, false, true, null, 0, 'time'],
    ['nextActionAt', times, true, true, null, 0, 'time'],
  ]
  const attributes = [...names, 'never'].map((name): FieldSides => {
    const type = procedure.attributes.find(each => each.shortId === name)?.type
    const seen = processes.flatMap(({ data }) => (Object.hasOwn(data, name) ? data[name] : undefined))
    const patterns = type === undefined || hasText(type) ? arbitraryPatterns(seen) : null
    const values = filterable(procedure, name, seen)
    // An empty list is refused where lists are stored.
    const valuesMin = type !== undefined && ATTRIBUTE_TYPES[type] === 'list' ? 1 : 0
    return [name, values, true, type !== 'boolean' && values !== null, patterns, valuesMin, getForm(type)]
  })
  const entry = fc.oneof(
    ...[...roots, ...attributes, ...attributes].map(([name, ...sides]) =>
      fc.tuple(fc.constant(name), arbitrarySides(...sides)),
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
  // Ranges and lists on one index alone have plans of their own, which mixed queries seldom reach.
  const served = attributes.filter(
    ([name]) => Object.hasOwn(procedure.slots, name) && procedure.slots[name]?.ready === true,
  )
  const single = fc.oneof(
    ...[...served, ...served, ...roots].map(([name, ...sides]) =>
      arbitrarySides(...sides).map(side => Object.fromEntries([[name, side]])),
    ),
  )
  return fc.oneof({ weight: 3, arbitrary: query.filter(each => leaves(each) <= 64) }, single)
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

export interface Question extends Asked {
  skip: number
  limit: number
  /** True if statements may do so little that every query takes several. */
  cramped: boolean
}

export interface Exam {
  procedure: Procedure
  processes: Known[]
  questions: Question[]
}

export const exams = (questions: number): fc.Arbitrary<Exam> =>
  procedures.chain(({ procedure, names }) =>
    arbitraryProcesses(procedure, names).chain(processes => {
      const sortable = [
        ...['createdAt', 'updatedAt', 'nextActionAt', 'status', 'state', 'assignedTo', 'id'],
        ...procedure.attributes
          .filter(each => each.indexed && ATTRIBUTE_TYPES[each.type] !== 'list')
          .map(each => each.shortId),
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
        cramped: fc.nat({ max: 2 }).map(third => third === 0),
      })
      const asked = fc.array(question, { minLength: questions, maxLength: questions, size: 'max' })
      return asked.map(list => ({ procedure, processes, questions: list }))
    }),
  )
