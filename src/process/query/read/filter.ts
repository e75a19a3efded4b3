import { RECORD_FIELDS, suggestRecordField } from '../../../customer-record/query-references.ts'
import type { Fault } from '../../../errors.ts'
import { isObject } from '../../../http/shapes.ts'
import { toUndeclaredFault } from '../../../procedure/declared.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { ROOT_FIELDS } from '../../../procedure/model.ts'
import { suggest } from '../../../suggest.ts'
import type { Condition, QueryField, RangeOperator, Scalar } from './condition.ts'
import { isScalar, MATCH_ALL, RANGE_OPERATORS, simplify, TEXT_OPERATORS } from './condition.ts'
import { appendPointer, type ComparedField, type FilterContext } from './filter-context.ts'
import { FILTER_LEVELS_MAX, isTooDeep } from './filter-depth.ts'
import { hasOrder, mayBeUnset, parseField, readValue } from './filter-value.ts'
import { isRelativeTime, readRelativeTime } from './relative-time.ts'
import { shortenName } from './shortened.ts'
import { CONTAINED_CHARACTERS_MAX, readTextMatch } from './text-match.ts'

/** How many queries may stand inside one another, the outermost included. */
export const NESTED_QUERIES_MAX = 8
/** How many comparisons one filter may hold; every operator counts. */
export const CONDITIONS_MAX = 64
export const VALUES_PER_LIST_MAX = 1_000
/** The length of a whole filter as JSON, so that its statement and parameter stay far below D1's 2 MB. */
export const FILTER_BYTES_MAX = 500_000
/** More faults are left out. */
const FAULTS_MAX = 100

const OPERATORS = ['=', '!=', ...RANGE_OPERATORS, ...TEXT_OPERATORS] as const
/** Operators of other query languages, by what they mean here. */
const SPELLINGS = new Map(
  Object.entries({
    '=': ['==', '===', 'eq', 'is', 'in'],
    '!=': ['ne', 'neq', 'not', 'nin', '<>', '!=='],
    '>': ['gt', 'after'],
    '>=': ['gte', 'ge', '=>'],
    '<': ['lt', 'before'],
    '<=': ['lte', 'le', '=<'],
    startsWith: ['startswith', 'starts_with', 'beginswith', 'prefix', '^', '^='],
    contains: ['like', 'ilike', 'includes', 'icontains', 'substring', 'regex', 'match', '~', '*='],
  }).flatMap(([operator, spellings]) => spellings.map(each => [each, operator] as const)),
)
const CONNECTIVES = ['and', 'or', 'not', 'nor', 'xor']

interface ParsedFilter {
  condition: Condition
  faults: Fault[]
  /** Attributes that the procedure does not declare. Of a strict procedure they are among the faults. */
  undeclared: Fault[]
}

/** What a filter refers to: user ids by what was sent for them, row numbers of records by `toRecordKey`, and the time. */
export interface FilterReferences {
  users: ReadonlyMap<string, string>
  records?: ReadonlyMap<string, number>
  now: () => number
}

const NO_RECORDS: ReadonlyMap<string, number> = new Map()

/** Reads an untrusted filter. If there are faults, the condition is meaningless. */
export function parseFilter(
  where: unknown,
  procedure: Procedure,
  { users, records = NO_RECORDS, now }: FilterReferences,
  pointer = '/body/where',
): ParsedFilter {
  const faults: Fault[] = []
  const undeclared: Fault[] = []
  const fail = (path: string, message: string, hint?: Fault['hint']): void => {
    if (faults.length < FAULTS_MAX) faults.push({ message, path, hint })
  }
  if (isTooDeep(where)) {
    fail(pointer, `A filter may be nested at most ${FILTER_LEVELS_MAX} levels deep`)
    return { condition: MATCH_ALL, faults, undeclared }
  }
  if (new TextEncoder().encode(JSON.stringify(where) ?? '').length > FILTER_BYTES_MAX) {
    fail(pointer, `A filter may be at most ${FILTER_BYTES_MAX} bytes long`)
    return { condition: MATCH_ALL, faults, undeclared }
  }
  let conditions = 0
  const count = (): void => {
    conditions += 1
    if (conditions === CONDITIONS_MAX + 1) fail(pointer, `A filter may hold at most ${CONDITIONS_MAX} conditions`)
  }
  const noteUndeclared = (key: string, path: string): void => {
    if (undeclared.length < FAULTS_MAX)
      undeclared.push(toUndeclaredFault(procedure, shortenName(key), path, ROOT_FIELDS))
  }
  let contained = 0
  const mayContain = (text: string): boolean => {
    contained += text.length
    return contained <= CONTAINED_CHARACTERS_MAX
  }
  const context = { procedure, users, records, now, fail, count, mayContain, noteUndeclared }
  const condition = where === undefined ? MATCH_ALL : readQuery(where, pointer, 1, context)
  if (procedure.strict) faults.push(...undeclared)
  return { condition: simplify(condition), faults, undeclared }
}

function readQuery(query: unknown, path: string, depth: number, context: FilterContext): Condition {
  if (!isObject(query)) {
    context.fail(path, 'A query must be an object that maps fields to values')
    return MATCH_ALL
  }
  if (depth > NESTED_QUERIES_MAX) {
    context.fail(path, `Queries may be nested at most ${NESTED_QUERIES_MAX} deep`)
    return MATCH_ALL
  }
  const parts = Object.entries(query).map(([key, side]) => {
    const at = appendPointer(path, key)
    if (key === 'and' || key === 'or') return readList(key, side, at, depth, context)
    const field = parseField(key, context.procedure)
    if (isOperatorAsField(key, field, at, context)) return MATCH_ALL
    if (field.root === undefined && field.valueKind === 'undeclared') {
      if (key.startsWith('record.')) {
        context.fail(at, `customers are found by ${RECORD_FIELDS.join(', ')} only`, () => suggestRecordField(key))
        return MATCH_ALL
      }
      context.noteUndeclared(key, at)
    }
    return readSide({ field, key: shortenName(key), path: at }, side, context)
  })
  return { kind: 'all', parts }
}

function readList(key: 'and' | 'or', side: unknown, path: string, depth: number, context: FilterContext): Condition {
  if (!Array.isArray(side) || side.length === 0) {
    context.fail(path, `"${key}" must be a list of at least one query`)
    return MATCH_ALL
  }
  if (side.length > CONDITIONS_MAX) {
    context.fail(path, `"${key}" may list at most ${CONDITIONS_MAX} queries`)
    return MATCH_ALL
  }
  const parts = side.map((each, index) => readQuery(each, appendPointer(path, index), depth + 1, context))
  return { kind: key === 'and' ? 'all' : 'any', parts }
}

/** An operator in place of a field is a fault, unless an attribute of that name is declared. */
function isOperatorAsField(key: string, field: QueryField, path: string, context: FilterContext): boolean {
  if (field.root !== undefined || field.valueKind !== 'undeclared') return false
  const word = key.toLowerCase().replace(/^\$/, '')
  if (!CONNECTIVES.includes(word) && !OPERATORS.some(operator => operator === key)) return false
  if (word === 'and' || word === 'or') context.fail(path, `Unknown operator "${key}"`, word)
  else context.fail(path, `"${key}" cannot stand where a field is expected`, 'and, or, or a field with {"!=": value}')
  return true
}

function readSide(compared: ComparedField, side: unknown, context: FilterContext): Condition {
  if (!isObject(side) || isRelativeTime(side)) return readEqual(compared, '=', side, context)
  const { key, path } = compared
  const entries = Object.entries(side)
  if (entries.length === 0) context.fail(path, `"${key}" needs at least one operator: ${OPERATORS.join(', ')}`)
  const parts = entries.map(([name, value]) => {
    const at = appendPointer(path, name)
    const operator = OPERATORS.find(each => each === name)
    const operand = { ...compared, path: at }
    if (operator === '=' || operator === '!=') return readEqual(operand, operator, value, context)
    if (operator === 'startsWith' || operator === 'contains') return readTextMatch(operand, operator, value, context)
    if (operator !== undefined) return readRange(operand, operator, value, context)
    const hint = SPELLINGS.get(name.toLowerCase().replace(/^\$/, '')) ?? (() => suggest(name, OPERATORS))
    context.count()
    context.fail(at, `Unknown operator "${shortenName(name)}": one of ${OPERATORS.join(', ')} is expected`, hint)
    return MATCH_ALL
  })
  return { kind: 'all', parts }
}

function readEqual(compared: ComparedField, operator: '=' | '!=', side: unknown, context: FilterContext): Condition {
  context.count()
  const { field, key, path } = compared
  const items: unknown[] = Array.isArray(side) ? side : [side]
  if (items.length > VALUES_PER_LIST_MAX) {
    context.fail(path, `A list may hold at most ${VALUES_PER_LIST_MAX} values, this one holds ${items.length}`)
    return MATCH_ALL
  }
  if (items.length === 0 && field.root === undefined && field.valueKind === 'list') {
    const message = `"${key}" holds lists: an empty list is none of its values`
    context.fail(path, message, 'null finds what is not set')
    return MATCH_ALL
  }
  const values = new Set<Scalar>()
  let unset = false
  for (const [index, item] of items.entries()) {
    const at = Array.isArray(side) ? appendPointer(path, index) : path
    if (item === null && key.startsWith('record.') && field.root === 'record')
      context.fail(at, `"${key}" is compared with text only`, '{"record": null} finds processes without a customer')
    else if (item === null && !mayBeUnset(field)) context.fail(at, `"${key}" is always set: null matches nothing`)
    else if (item === null) unset = true
    else if (isRelativeTime(item))
      for (const value of readRelativeTime(item, { ...compared, path: at, isEqual: true }, context)) values.add(value)
    else if (!isScalar(item)) context.fail(at, `"${key}" can be compared with text, a number, true, false or null only`)
    else for (const value of readScalar({ ...compared, path: at }, item, context)) values.add(value)
  }
  return { kind: 'equal', field, values: [...values], unset, negated: operator === '!=' }
}

function readScalar({ field, key, path }: ComparedField, item: Scalar, context: FilterContext): Scalar[] {
  const reading = readValue(item, field, context, key)
  if ('values' in reading) return reading.values
  context.fail(path, reading.message, reading.hint)
  return []
}

function readRange(compared: ComparedField, operator: RangeOperator, side: unknown, context: FilterContext): Condition {
  context.count()
  const { field, key, path } = compared
  if (field.root !== undefined && !hasOrder(field.root)) {
    context.fail(path, `"${key}" has no order: only = and != apply`)
  } else if (field.root === undefined && field.valueKind === 'boolean') {
    context.fail(path, `"${key}" is true or false and has no order: only = and != apply`)
  } else if (isRelativeTime(side)) {
    const [value] = readRelativeTime(side, { ...compared, isEqual: false }, context)
    if (typeof value === 'string' || typeof value === 'number') return { kind: 'range', field, operator, value }
  } else if (typeof side !== 'string' && !(typeof side === 'number' && isScalar(side))) {
    context.fail(path, `"${operator}" compares with one number or one text`)
  } else {
    // A range compares one form only: the first, which is the value as sent, converted to the declared type.
    const [value] = readScalar(compared, side, context)
    if (typeof value === 'string' || typeof value === 'number') return { kind: 'range', field, operator, value }
  }
  return MATCH_ALL
}
