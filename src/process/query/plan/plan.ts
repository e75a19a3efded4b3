import { toRowNo } from '../../../ids.ts'
import type { Procedure } from '../../../procedure/model.ts'
import type { Condition, Equality } from '../read/condition.ts'
import { isPlainEquality, isPrimaryKey, matchesNone } from '../read/condition.ts'
import type { RangeBounds } from './bounds.ts'
import { findTightestBounds } from './bounds.ts'
import type { QueryColumn } from './columns.ts'
import { findColumn, findListColumn, findTextColumn, PRIMARY_KEY, ROW_ID, toColumnValue } from './columns.ts'
import { arePrefixes, findPrefixes, type Prefixes } from './prefixes.ts'
import { toRowNumbers } from './row-numbers.ts'

/** Index keys merged by one statement: D1 takes five terms in a compound SELECT. */
const MERGED_KEYS_MAX = 5
/** Index scans among which a statement chooses the most selective one. */
const INDEX_SCANS_MAX = 3

/** One value of an indexed column. Its index entries are in the order of row numbers, and so of creation. */
interface IndexKey {
  column: QueryColumn
  value: string | number
}

/** A source of candidates, newest first. `remaining` is the part of the filter that its keys do not ensure. */
export interface IndexScan {
  /** Without keys, all processes of the procedure. With several, the processes that have any of them. */
  keys: IndexKey[]
  /** Whether a process can have two of the keys. */
  overlapping: boolean
  remaining: Condition[]
}

/** A part of one index that is not in the order of creation. It is read whole if it is small. */
export interface RangeScan {
  column: QueryColumn
  bounds: RangeBounds | (string | number)[] | Prefixes
  remaining: Condition[]
}

/** The few processes that ids or primary keys identify. */
export interface Lookup {
  column: QueryColumn
  values: (string | number)[]
  remaining: Condition[]
}

export interface QueryPlan {
  procedure: Procedure
  /** The bounds of the row number: from the first, below the last. */
  from: number | null
  before: number | null
  /** The conditions besides those bounds. All must match. */
  parts: Condition[]
  lookup: Lookup | null
  rangeScan: RangeScan | null
  indexScans: IndexScan[]
  /** The words that must all occur; null without a search, and if `parts` has the search. */
  search: readonly string[] | null
}

/** Plans how the processes that match a condition are found. Returns null if none can match. */
export function planQuery(condition: Condition, procedure: Procedure): QueryPlan | null {
  if (matchesNone(condition)) return null
  return planParts(condition.kind === 'all' ? condition.parts : [condition], procedure)
}

/** Plans conditions that must all match. */
export function planParts(conditions: Condition[], procedure: Procedure): QueryPlan {
  const plan: QueryPlan = {
    procedure,
    from: null,
    before: null,
    parts: [],
    lookup: null,
    rangeScan: null,
    indexScans: [],
    search: null,
  }
  const parts = conditions.filter(part => !narrowRowNumbers(plan, part))
  plan.parts = parts
  const without = (...used: Condition[]): Condition[] => parts.filter(part => !used.includes(part))

  for (const part of parts) {
    const lookup = findLookup(part, procedure)
    if (lookup !== null)
      return { ...plan, lookup: { ...lookup, remaining: lookup.column === ROW_ID ? parts : without(part) } }
  }
  const indexScans = parts.flatMap(part => {
    const keys = findIndexKeys(part, procedure)
    if (keys === null) return []
    const overlapping = part.kind === 'any' || keys.some(isElement)
    // Branches that consist of their keys leave no condition. Elements of lists only find candidates.
    const exact = !keys.some(isElement) && (part.kind !== 'any' || part.parts.every(branch => branch.kind === 'equal'))
    return [{ keys, overlapping, remaining: exact ? without(part) : parts }]
  })
  indexScans.sort((one, other) => one.keys.length - other.keys.length)
  plan.indexScans = indexScans.slice(0, INDEX_SCANS_MAX)
  plan.rangeScan = findRangeScan(parts, procedure)
  if (plan.indexScans.length === 0) plan.indexScans.push({ keys: [], overlapping: false, remaining: parts })
  return plan
}

/** Narrows the row numbers by a condition on the time of creation. Returns whether that replaces the condition. */
function narrowRowNumbers(plan: QueryPlan, part: Condition): boolean {
  if (part.kind !== 'equal' && part.kind !== 'range') return false
  if (part.field.root !== 'createdAt') return false
  const times = part.kind === 'range' ? [part.value] : part.values
  const [time] = times
  if (typeof time !== 'number' || times.length !== 1 || (part.kind === 'equal' && part.negated)) return false
  for (const operator of part.kind === 'range' ? [part.operator] : (['>=', '<='] as const)) {
    const { from, before } = toRowNumbers(operator, time)
    if (from !== undefined) plan.from = Math.max(plan.from ?? from, from)
    if (before !== undefined) plan.before = Math.min(plan.before ?? before, before)
  }
  return true
}

function findLookup(part: Condition, procedure: Procedure): Omit<Lookup, 'remaining'> | null {
  if (!isPlainEquality(part)) return null
  if (part.field.root === 'id') return { column: ROW_ID, values: part.values.map(id => toRowNo(String(id))) }
  return isPrimaryKey(part.field, procedure) ? { column: PRIMARY_KEY, values: listKeyTexts(part) } : null
}

const listKeyTexts = (part: Equality): string[] => [
  ...new Set(part.values.filter(value => typeof value !== 'boolean').map(String)),
]

const ALL_STATUSES = [1, 2, 3]

/** Finds keys of which every match of a condition has one; null if there are none, or too many. */
function findIndexKeys(part: Condition, procedure: Procedure): IndexKey[] | null {
  if (part.kind === 'any') {
    const keys: IndexKey[] = []
    for (const branch of part.parts) {
      const found = (branch.kind === 'all' ? branch.parts : [branch])
        .map(each => findIndexKeys(each, procedure))
        .filter(each => each !== null)
        .sort((one, other) => one.length - other.length)[0]
      if (found === undefined) return null
      keys.push(...found.filter(key => !keys.some(known => isSameKey(known, key))))
    }
    return keys.length > MERGED_KEYS_MAX ? null : keys
  }
  if (part.kind !== 'equal' || part.unset) return null
  if (part.negated && part.field.root !== 'status') return null
  const primary = isPrimaryKey(part.field, procedure)
  const column = primary ? PRIMARY_KEY : (findColumn(part.field, procedure) ?? findListColumn(part.field, procedure))
  if (column === null || column.index === null) return null
  const named = primary ? listKeyTexts(part) : [...new Set(part.values.map(toColumnValue))]
  const values = part.negated ? ALL_STATUSES.filter(status => !named.includes(status)) : named
  return values.length === 0 || values.length > MERGED_KEYS_MAX ? null : values.map(value => ({ column, value }))
}

export const isElement = ({ column }: IndexKey): boolean => column.slot !== undefined

const isSameKey = (one: IndexKey, other: IndexKey): boolean => one.column === other.column && one.value === other.value

/** Returns the range scan for callers that read an index in its order: the spellings of prefixes become a filter. */
export function getPlainRange({ rangeScan, parts }: QueryPlan) {
  if (rangeScan === null) return null
  const { column, bounds, remaining } = rangeScan
  return arePrefixes(bounds) ? { column, bounds: bounds.span, remaining: parts } : { column, bounds, remaining }
}

function findRangeScan(parts: Condition[], procedure: Procedure): RangeScan | null {
  let best: RangeScan | null = null
  for (const part of parts) {
    if (part.kind === 'text') {
      const [bounds, column] = [findPrefixes(part), findTextColumn(part.field, procedure)]
      if (bounds === null || column === null || column.index === null) continue
      return { column, bounds, remaining: parts.filter(each => each !== part) }
    }
    if (part.kind !== 'equal' && part.kind !== 'range') continue
    const list = findListColumn(part.field, procedure)
    if (list !== null && isPlainEquality(part) && part.values.length > MERGED_KEYS_MAX)
      best ??= { column: list, bounds: part.values.map(toColumnValue), remaining: parts }
    const column = findColumn(part.field, procedure)
    if (column === null || column.index === null) continue
    if (part.kind === 'range') {
      const { bounds, used } = findTightestBounds(column, typeof part.value === 'number', parts, procedure)
      const closed = bounds.low !== undefined && bounds.high !== undefined
      if (best === null || closed) best = { column, bounds, remaining: parts.filter(each => !used.includes(each)) }
      if (closed) return best
    } else if (isPlainEquality(part) && part.values.length > MERGED_KEYS_MAX) {
      best ??= { column, bounds: part.values.map(toColumnValue), remaining: parts.filter(each => each !== part) }
    }
  }
  return best
}
