import { readCreatedAt } from '../../src/ids.ts'
import type { Procedure } from '../../src/procedure/model.ts'
import { ATTRIBUTE_TYPES } from '../../src/procedure/model.ts'
import { comparedAtOnce, isRelative } from './relative-times.ts'
import type { Customer, Known } from './stored.ts'

/**
 * The meaning of a query, computed as plainly as possible and without a line of the compiler, to compare the database
 * with. It knows valid queries only.
 */
export interface QueryContext {
  procedure: Procedure
  /** Ids by username. */
  users: Map<string, string>
  customers: readonly Customer[]
  /** The time of the query. */
  now: number
}

export interface Asked {
  where: Record<string, unknown>
  sort: { field: string; order: 'asc' | 'desc' }[]
}

export function answer(context: QueryContext, processes: Known[], { where, sort }: Asked): string[] {
  const matches = processes.filter(process => matchesQuery(context, process, where))
  const compare = (one: Known, other: Known): number => {
    for (const { field, order } of sort) {
      if (field === 'createdAt' || field === 'id') return order === 'asc' ? one.rid - other.rid : other.rid - one.rid
      const [value, against] = [sortValue(context, one, field), sortValue(context, other, field)]
      if (value === undefined && against === undefined) continue
      if (value === undefined) return 1
      if (against === undefined) return -1
      const sign = compareValues(value, against)
      if (sign !== 0) return order === 'asc' ? sign : -sign
    }
    return other.rid - one.rid
  }
  return matches.sort(compare).map(({ id }) => id)
}

export function matchesQuery(context: QueryContext, process: Known, query: Record<string, unknown>): boolean {
  return Object.entries(query).every(([key, side]) => {
    const queries = side as Record<string, unknown>[]
    if (key === 'and') return queries.every(each => matchesQuery(context, process, each))
    if (key === 'or') return queries.some(each => matchesQuery(context, process, each))
    if (typeof side !== 'object' || side === null || Array.isArray(side) || isRelative(side))
      return isAny(context, process, key, side)
    return Object.entries(side).every(([operator, value]) => {
      if (operator === '=') return isAny(context, process, key, value)
      if (operator === '!=') return !isAny(context, process, key, value)
      if (operator === 'startsWith' || operator === 'contains') return holdsText(context, process, key, operator, value)
      return stands(context, process, key, operator, value)
    })
  })
}

const ROOTS = ['record', 'id', 'status', 'state', 'assignedTo', 'createdAt', 'updatedAt', 'nextActionAt']
const TIMES = ['createdAt', 'updatedAt', 'nextActionAt']

export function stored(process: Known, key: string): unknown {
  if (key.startsWith('record.')) return process.record ?? undefined
  if (key === 'createdAt') return readCreatedAt(process.rid)
  if (ROOTS.includes(key)) return process[key as keyof Known] ?? undefined
  return Object.hasOwn(process.data, key) ? process.data[key] : undefined
}

function isAny(context: QueryContext, process: Known, key: string, side: unknown): boolean {
  const wanted: unknown[] = Array.isArray(side) ? side : [side]
  return wanted.some(each => isEqual(context, stored(process, key), key, each))
}

function isEqual(context: QueryContext, value: unknown, key: string, sent: unknown): boolean {
  const wanted = isRelative(sent) ? comparedAtOnce(sent, getType(context, key), context.now) : sent
  if (wanted === null) return value === undefined
  if (value === undefined) return false
  if (TIMES.includes(key)) return value === (typeof wanted === 'string' ? Date.parse(wanted) : wanted)
  if (key === 'assignedTo') return value === (context.users.get(String(wanted)) ?? wanted)
  if (key === 'record' || key.startsWith('record.')) return value === getCustomer(context, key, String(wanted))?.rid
  if (key === 'id') return value === String(wanted).toLowerCase()
  if (key === 'status' || key === 'state') return value === wanted
  const type = getType(context, key)
  const converted = convert(context.users, type, wanted)
  if (key === context.procedure.primaryKey) {
    return typeof converted !== 'boolean' && String(value) === String(converted)
  }
  return (Array.isArray(value) ? value : [value]).some(element => {
    if (element === converted) return true
    if (type !== undefined) return false
    const pair = [element, wanted]
    // Beyond 2^53 a number has lost digits, and stands for no text.
    if (pair.some(each => Number.isInteger(each) && !Number.isSafeInteger(each))) return false
    return pair.some(each => typeof each === 'number') && pair.some(each => typeof each === 'string')
      ? String(element) === String(wanted)
      : false
  })
}

/** A number and its text, a user by each name, a phone number however it is written. */
function convert(users: QueryContext['users'], type: ReturnType<typeof getType>, wanted: unknown): unknown {
  if (typeof wanted !== 'string') return wanted
  if (isNumeric(type)) return Number(wanted)
  if (type === 'user') return users.get(wanted) ?? wanted
  return type === 'phone' ? getDigits(wanted) : wanted
}

const getDigits = (phone: string, operator = 'startsWith'): string =>
  phone.replace(/\D/g, '').replace(operator === 'startsWith' ? /^00/ : /^$/, '')

/** Compares identities as a person does: digits with digits, and letters whatever their case. */
const getCustomer = ({ customers }: QueryContext, key: string, wanted: string): Customer | undefined =>
  customers.find(({ id, phone, email }) => {
    if (key === 'record.phone') return phone === wanted.replace(/\D/g, '')
    return (key === 'record' ? id : email) === wanted.toLowerCase()
  })

function stands(context: QueryContext, process: Known, key: string, operator: string, wanted: unknown): boolean {
  const value = stored(process, key)
  let against = wanted
  if (isRelative(wanted)) against = comparedAtOnce(wanted, getType(context, key), context.now)
  else if (typeof wanted === 'string' && TIMES.includes(key)) against = Date.parse(wanted)
  else against = convert(context.users, getType(context, key), wanted)
  if (typeof value !== typeof against || (typeof value !== 'number' && typeof value !== 'string')) return false
  const sign = compareValues(value, against)
  if (operator === '>') return sign > 0
  if (operator === '>=') return sign >= 0
  return operator === '<' ? sign < 0 : sign <= 0
}

const asciiLower = (text: string): string =>
  Array.from(text, char => (char >= 'A' && char <= 'Z' ? String.fromCharCode(char.charCodeAt(0) + 32) : char)).join('')

function holdsText(context: QueryContext, process: Known, key: string, operator: string, wanted: unknown): boolean {
  const value = stored(process, key)
  const values: unknown[] = Array.isArray(value) ? value : [value]
  const isKey = key === context.procedure.primaryKey && typeof value === 'number'
  const texts = isKey ? [String(value)] : values.filter(each => typeof each === 'string')
  const isPhone = getType(context, key) === 'phone'
  const patterns = (Array.isArray(wanted) ? wanted : [wanted]).flatMap(each => {
    const digits =
      isPhone && /^[\d\s+().-]*\d[\d\s+().-]*$/.test(String(each)) ? [getDigits(String(each), operator)] : []
    return [asciiLower(String(each)), ...digits.filter(part => part !== '')]
  })
  return texts.some(text => {
    const folded = asciiLower(text)
    return patterns.some(each => (operator === 'contains' ? folded.includes(each) : folded.startsWith(each)))
  })
}

const getType = ({ procedure }: QueryContext, key: string) =>
  procedure.attributes.find(each => each.shortId === key)?.type

const isNumeric = (type: ReturnType<typeof getType>): boolean =>
  type !== undefined && (ATTRIBUTE_TYPES[type] === 'number' || type === 'multiIntegerEnum' || type === 'multiFloatEnum')

function sortValue(context: QueryContext, process: Known, key: string): unknown {
  const value = stored(process, key)
  const type = getType(context, key)
  if (key === context.procedure.primaryKey && (type === undefined || ATTRIBUTE_TYPES[type] !== 'number')) {
    return value === undefined ? undefined : String(value)
  }
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'string') return Array.from(value).slice(0, 1_000).join('')
  return typeof value === 'object' ? undefined : value
}

/** Numbers before text; text by code point. */
export function compareValues(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (typeof one === 'number') return -1
  if (typeof other === 'number') return 1
  const [points, against] = [codePoints(one), codePoints(other)]
  for (let index = 0; index < Math.max(points.length, against.length); index++) {
    const difference = (points[index] ?? -1) - (against[index] ?? -1)
    if (difference !== 0) return difference
  }
  return 0
}

const codePoints = (text: unknown): number[] => Array.from(String(text), char => char.codePointAt(0) ?? 0)
