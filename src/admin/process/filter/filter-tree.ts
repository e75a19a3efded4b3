import type { Query, RelativeTime } from 'caseworker'
import { isRelativeTime } from './times.ts'

/** The operators of the query language, and two for set and unset, which it writes as `null`. */
export type Operator = '=' | '!=' | '>' | '>=' | '<' | '<=' | 'startsWith' | 'contains' | 'set' | 'unset'

export const isPresence = (operator: Operator): boolean => operator === 'set' || operator === 'unset'

export type RuleValue = string | number | boolean | RelativeTime | null

/** One condition in the builder. Without values it is incomplete, and filters nothing yet. */
export interface Rule {
  key: number
  field: string
  operator: Operator
  values: readonly RuleValue[]
  /** A list that was sent empty: it matches nothing, while a condition that is not finished filters nothing. */
  isEmptyList?: boolean
}

export interface RuleGroup {
  key: number
  join: 'and' | 'or'
  items: readonly RuleItem[]
}

export type RuleItem = Rule | RuleGroup

let lastKey = 0
export const newKey = (): number => ++lastKey

export const isGroup = (item: RuleItem): item is RuleGroup => 'join' in item
export const newGroup = (join: RuleGroup['join'], items: readonly RuleItem[] = []): RuleGroup => ({
  key: newKey(),
  join,
  items,
})

type Condition = Query[string]

/** Builds the filter of a tree; undefined where it filters nothing. `parseTree` is its inverse. */
export function buildQuery(group: RuleGroup): Query | undefined {
  const parts = group.items.flatMap((item): readonly Query[] => {
    if (!isGroup(item)) return isFinished(item) ? [toCondition(item)] : []
    const inner = buildQuery(item)
    return inner === undefined ? [] : [inner]
  })
  const [only, ...others] = parts
  if (only === undefined) return undefined
  if (others.length === 0) return only
  return group.join === 'or' ? { or: parts } : joinParts(parts)
}

export const isFinished = ({ operator, values, isEmptyList }: Rule): boolean =>
  isPresence(operator) || values.length > 0 || isEmptyList === true

function toCondition({ field, operator, values }: Rule): Query {
  if (operator === 'unset') return { [field]: null }
  if (operator === 'set') return { [field]: { '!=': null } }
  const [first, ...others] = values
  const value = first !== undefined && others.length === 0 ? first : values
  return { [field]: operator === '=' ? value : ({ [operator]: value } as Condition) }
}

/** Joins parts that must all match, as members of one object where their names differ. */
function joinParts(parts: readonly Query[]): Query {
  // A map, since an attribute may be called as something that every object inherits.
  const all = new Map<string, Condition>()
  const rest: Query[] = []
  for (const part of parts) {
    const members = Object.entries(part)
    const [only, ...others] = members
    const both = only && others.length === 0 ? combineConditions(all.get(only[0]), only[1]) : undefined
    if (members.every(([name]) => !all.has(name))) for (const [name, condition] of members) all.set(name, condition)
    else if (only && both !== undefined) all.set(only[0], both)
    else rest.push(part)
  }
  if (rest.length > 0) all.set('and', [...((all.get('and') as Query[] | undefined) ?? []), ...rest])
  return Object.fromEntries(all)
}

const isOperators = (
  condition: Condition,
): condition is Exclude<Condition, readonly unknown[] | RuleValue | undefined> =>
  typeof condition === 'object' && condition !== null && !Array.isArray(condition) && !isRelativeTime(condition)

/** Two bounds of one field: `{">=": 50, "<": 70}`. */
function combineConditions(one: Condition, other: Condition): Condition {
  if (!isOperators(one) || !isOperators(other)) return undefined
  return Object.keys(other).some(operator => operator in one) ? undefined : { ...one, ...other }
}

/** The tree of a filter, also of one that was written by hand. */
export function parseTree(query: Query | undefined): RuleGroup {
  const items = parseItems(query ?? {})
  const [only] = items
  return items.length === 1 && only && isGroup(only) ? only : newGroup('and', items)
}

function parseItems(query: Query): RuleItem[] {
  return Object.entries(query).flatMap(([name, condition]): RuleItem[] => {
    if (name === 'and' && isQueries(condition)) return condition.flatMap(parseItems)
    if (name === 'or' && isQueries(condition)) {
      const inner = condition.map(parseItems)
      // A group without conditions matches everything, and so does an "or" that has one.
      if (inner.some(items => items.length === 0)) return []
      return [
        newGroup(
          'or',
          inner.flatMap(items => (items.length === 1 ? items : [newGroup('and', items)])),
        ),
      ]
    }
    return parseRules(name, condition)
  })
}

const isQueries = (condition: Condition): condition is readonly Query[] =>
  Array.isArray(condition) && condition.every(each => typeof each === 'object' && each !== null)

function parseRules(field: string, condition: Condition): Rule[] {
  const rule = (operator: Operator, values: readonly RuleValue[]): Rule => ({
    key: newKey(),
    field,
    operator,
    values,
    ...(values.length === 0 && !isPresence(operator) ? { isEmptyList: true } : {}),
  })
  const equal = (value: unknown, isNegated: boolean): Rule =>
    value === null ? rule(isNegated ? 'set' : 'unset', []) : rule(isNegated ? '!=' : '=', toList(value))
  if (!isOperators(condition)) return [equal(condition, false)]
  return Object.entries(condition).flatMap(([name, value]) => {
    // An unknown operator is kept as well: the API says what is meant.
    return [name === '=' || name === '!=' ? equal(value, name === '!=') : rule(name as Operator, toList(value))]
  })
}

const toList = (value: unknown): RuleValue[] => (Array.isArray(value) ? value : [value]) as RuleValue[]

/** A filter while it is built, beside the one that the address has. */
export interface BuiltFilter {
  tree: RuleGroup
  /** The query that the address had when it was read last. */
  inAddress: Query | undefined
  /** The query that the builder has written last. The address has it a little later. */
  written: Query | undefined
}

export const sameQuery = (one: Query | undefined, other: Query | undefined): boolean =>
  JSON.stringify(one ?? {}) === JSON.stringify(other ?? {})

/**
 * Returns the builder's state for the present address. Its own query comes back unchanged and changes nothing: a
 * condition whose value is still missing stays. Any other query is by something else: back, a view, "Clear".
 */
export function withAddress(built: BuiltFilter, where: Query | undefined): BuiltFilter {
  if (sameQuery(where, built.inAddress)) return built
  const isOurs = sameQuery(where, built.written) || sameQuery(where, buildQuery(built.tree))
  return { tree: isOurs ? built.tree : parseTree(where), inAddress: where, written: where }
}
