import { ridOf } from '../../../ids.ts'
import type { Procedure } from '../../../procedure/model.ts'
import type { Condition, Equal } from '../read/condition.ts'
import { isNever, isPlain, isPrimaryKey } from '../read/condition.ts'
import { ridsOf } from '../sql/residual.ts'
import type { Column } from './columns.ts'
import { columnOf, inColumn, PRIMARY_KEY } from './columns.ts'

/** How many values of indexed columns one merge can follow: D1 takes five arms in a compound SELECT. */
const MERGED_KEYS_MAX = 5
/** How many indexes are compared before the one with the fewest processes is walked. */
const STREAMS_MAX = 3

/** One value of an indexed column. Its index entries are in the order of creation. */
export interface Key {
  column: Column
  value: string | number
}

/** Where candidates come from, newest first. `rest` is what the source leaves to be asked of each of them. */
export interface Stream {
  /** None: every process of the procedure. Several: each process that any of the keys leads to. */
  keys: Key[]
  /** Whether one process can be found by two of the keys. */
  overlapping: boolean
  rest: Condition[]
}

/** A part of one index that is not in the order of creation: worth reading whole while it is small. */
export interface Gather {
  column: Column
  bounds: Bounds | (string | number)[]
  rest: Condition[]
}

export interface Bounds {
  low?: { operator: '>' | '>='; value: string | number }
  high?: { operator: '<' | '<='; value: string | number }
  numeric: boolean
}

/** The few processes that ids or primary keys lead to. */
export interface Lookup {
  column: Column | null
  values: (string | number)[]
  rest: Condition[]
}

export interface Plan {
  procedure: Procedure
  /** The row numbers in question: from the first, up to but without the last. */
  from: number | null
  before: number | null
  /** What is asked apart from those. */
  parts: Condition[]
  lookup: Lookup | null
  gather: Gather | null
  streams: Stream[]
}

/** How the processes that meet a condition are found, or null where no process can. */
export function planFor(condition: Condition, procedure: Procedure): Plan | null {
  if (isNever(condition)) return null
  const plan: Plan = { procedure, from: null, before: null, parts: [], lookup: null, gather: null, streams: [] }
  const parts = (condition.kind === 'all' ? condition.parts : [condition]).filter(part => !narrowed(plan, part))
  plan.parts = parts
  const without = (...used: Condition[]): Condition[] => parts.filter(part => !used.includes(part))

  for (const part of parts) {
    const lookup = lookupOf(part, procedure)
    if (lookup !== null) return { ...plan, lookup: { ...lookup, rest: lookup.column === null ? parts : without(part) } }
  }
  const streams = parts.flatMap(part => {
    const keys = keysOf(part, procedure)
    if (keys === null) return []
    const overlapping = part.kind === 'any'
    // Branches that are no more than their keys leave nothing to ask.
    const exact = part.kind !== 'any' || part.parts.every(branch => branch.kind === 'equal')
    return [{ keys, overlapping, rest: exact ? without(part) : parts }]
  })
  streams.sort((one, other) => one.keys.length - other.keys.length)
  plan.streams = streams.slice(0, STREAMS_MAX)
  plan.gather = gatherOf(parts, procedure)
  if (plan.streams.length === 0) plan.streams.push({ keys: [], overlapping: false, rest: parts })
  return plan
}

/** Narrows the row numbers by a condition on the time of creation; says whether that is all of the condition. */
function narrowed(plan: Plan, part: Condition): boolean {
  if (part.kind !== 'equal' && part.kind !== 'order') return false
  if (part.field.root !== 'createdAt') return false
  const times = part.kind === 'order' ? [part.value] : part.values
  const [time] = times
  if (typeof time !== 'number' || times.length !== 1 || (part.kind === 'equal' && part.negated)) return false
  for (const operator of part.kind === 'order' ? [part.operator] : (['>=', '<='] as const)) {
    const { from, before } = ridsOf(operator, time)
    if (from !== undefined) plan.from = Math.max(plan.from ?? from, from)
    if (before !== undefined) plan.before = Math.min(plan.before ?? before, before)
  }
  return true
}

function lookupOf(part: Condition, procedure: Procedure): Omit<Lookup, 'rest'> | null {
  if (!isPlain(part)) return null
  if (part.field.root === 'id') return { column: null, values: part.values.map(id => ridOf(String(id))) }
  return isPrimaryKey(part.field, procedure) ? { column: PRIMARY_KEY, values: keyTexts(part) } : null
}

const keyTexts = (part: Equal): string[] => [
  ...new Set(part.values.filter(value => typeof value !== 'boolean').map(String)),
]

const ALL_STATUSES = [1, 2, 3]

/** The keys that lead to everything a condition can match, if they are few; null if there are no such keys. */
function keysOf(part: Condition, procedure: Procedure): Key[] | null {
  if (part.kind === 'any') {
    const keys: Key[] = []
    for (const branch of part.parts) {
      const found = (branch.kind === 'all' ? branch.parts : [branch])
        .map(each => keysOf(each, procedure))
        .filter(each => each !== null)
        .sort((one, other) => one.length - other.length)[0]
      if (found === undefined) return null
      keys.push(...found.filter(key => !keys.some(known => sameKey(known, key))))
    }
    return keys.length > MERGED_KEYS_MAX ? null : keys
  }
  if (part.kind !== 'equal' || part.unset) return null
  if (part.negated && part.field.root !== 'status') return null
  const primary = isPrimaryKey(part.field, procedure)
  const column = primary ? PRIMARY_KEY : columnOf(part.field, procedure)
  if (column?.index === undefined) return null
  const named = primary ? keyTexts(part) : [...new Set(part.values.map(inColumn))]
  const values = part.negated ? ALL_STATUSES.filter(status => !named.includes(status)) : named
  return values.length === 0 || values.length > MERGED_KEYS_MAX ? null : values.map(value => ({ column, value }))
}

const sameKey = (one: Key, other: Key): boolean => one.column.name === other.column.name && one.value === other.value

function gatherOf(parts: Condition[], procedure: Procedure): Gather | null {
  let best: Gather | null = null
  for (const part of parts) {
    if (part.kind !== 'equal' && part.kind !== 'order') continue
    const column = columnOf(part.field, procedure)
    if (column?.index === undefined) continue
    if (part.kind === 'order') {
      const { bounds, used } = boundsOn(column, typeof part.value === 'number', parts, procedure)
      const closed = bounds.low !== undefined && bounds.high !== undefined
      if (best === null || closed) best = { column, bounds, rest: parts.filter(each => !used.includes(each)) }
      if (closed) return best
    } else if (isPlain(part) && part.values.length > MERGED_KEYS_MAX) {
      best ??= { column, bounds: part.values.map(inColumn), rest: parts.filter(each => each !== part) }
    }
  }
  return best
}

/** Every bound on one column as one on each side: SQLite seeks by one of several, and not by the best. */
export function boundsOn(
  column: Column,
  numeric: boolean,
  parts: Condition[],
  procedure: Procedure,
): { bounds: Bounds; used: Condition[] } {
  const bounds: Bounds = { numeric }
  const used: Condition[] = []
  for (const part of parts) {
    if (part.kind !== 'order' || (typeof part.value === 'number') !== numeric) continue
    if (columnOf(part.field, procedure)?.name !== column.name) continue
    used.push(part)
    const { operator, value } = part
    if (operator === '>' || operator === '>=') {
      if (isTighter(value, bounds.low?.value, operator === '>')) bounds.low = { operator, value }
    } else if (isTighter(bounds.high?.value, value, operator === '<')) bounds.high = { operator, value }
  }
  return { bounds, used }
}

type Side = string | number | undefined

/** Whether the first lies above the second; where they are equal, a strict bound is the tighter. */
function isTighter(one: Side, other: Side, strict: boolean): boolean {
  if (one === undefined || other === undefined) return true
  return one === other ? strict : isAbove(one, other)
}

/** The order of SQLite: numbers before text, text by code point (which UTF-16 units are not). */
export function isAbove(one: string | number, other: string | number): boolean {
  if (typeof one === 'number' || typeof other === 'number')
    return typeof one === typeof other ? one > other : typeof one === 'string'
  const [points, otherPoints] = [[...one], [...other]]
  for (const [index, char] of points.entries()) {
    const against = otherPoints[index]
    if (against === undefined) return true
    if (char !== against) return (char.codePointAt(0) ?? 0) > (against.codePointAt(0) ?? 0)
  }
  return false
}
