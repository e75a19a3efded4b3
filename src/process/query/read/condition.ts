import type { Procedure, RootField, ValueKind } from '../../../procedure/model.ts'

/** A value of a filter, other than null. */
export type Scalar = string | number | boolean

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))

/**
 * A filter that was parsed. Its meaning:
 *
 * - A value is absent, or a JSON scalar, list or document. A stored list is multi-valued, whatever its attribute's type.
 * - `equal` holds when the value, or any element of a list, is one of `values`: the same type and the same value. It
 *   holds for an absent value when `unset`. `negated` is its exact complement, so it also matches what is not set.
 * - `range` compares number with number, and text with text by code point. Nothing else is ever above or below.
 * - `text` holds when a text, or any text of a list, starts with or contains one of `patterns`. A to Z equal a to z,
 *   every other character only itself. Numbers are no text, except in a primary key, which is compared by its text.
 * - A primary key is equal by its text, whether it was sent as text or as a number.
 *
 * `values` are ready to compare: a status is its number, a user a UUID, a time epoch milliseconds, and where an attribute
 * is not declared, both 105 and "105" stand for either, up to 2^53.
 */
export type Condition =
  | { kind: 'all'; parts: Condition[] }
  | { kind: 'any'; parts: Condition[] }
  | Equality
  | Range
  | TextMatch

export interface Equality {
  kind: 'equal'
  field: QueryField
  values: Scalar[]
  unset: boolean
  negated: boolean
}

export const RANGE_OPERATORS = ['>', '>=', '<', '<='] as const
export type RangeOperator = (typeof RANGE_OPERATORS)[number]

export interface Range {
  kind: 'range'
  field: QueryField
  operator: RangeOperator
  value: string | number
}

export const TEXT_OPERATORS = ['startsWith', 'contains'] as const
export type TextOperator = (typeof TEXT_OPERATORS)[number]

export interface TextMatch {
  kind: 'text'
  field: QueryField
  operator: TextOperator
  /** The patterns, as `lowerAscii` writes them. None makes another one superfluous. */
  patterns: string[]
}

/** Lowers a text as SQLite's lower() does, which changes no letters but A to Z. */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, letters => letters.toLowerCase())

/** A field of the process itself. Its record is compared by its row number. */
export type QueryRoot = RootField | 'record'

export type QueryField =
  | { root: QueryRoot }
  | { root?: never; attribute: string; valueKind: ValueKind | 'undeclared'; elementKind: 'text' | 'number' | null }

/** Tells whether a condition matches the values that it names and nothing else. */
export const isPlainEquality = (condition: Condition): condition is Equality =>
  condition.kind === 'equal' && !condition.negated && !condition.unset

export const MATCH_ALL: Condition = { kind: 'all', parts: [] }
const MATCH_NONE: Condition = { kind: 'any', parts: [] }

export const isSameField = (one: QueryField, other: QueryField): boolean =>
  one.root === undefined || other.root === undefined
    ? one.root === other.root && getAttribute(one) === getAttribute(other)
    : one.root === other.root

const getAttribute = (field: QueryField): string | null => (field.root === undefined ? field.attribute : null)

export const isPrimaryKey = (field: QueryField, procedure: Procedure): boolean =>
  procedure.primaryKey !== null && getAttribute(field) === procedure.primaryKey

/** Tells whether a field orders as the time of creation does. The id begins with that time. */
export const isCreation = (field: QueryField): boolean => field.root === 'createdAt' || field.root === 'id'

const matchesAll = (condition: Condition): boolean => condition.kind === 'all' && condition.parts.length === 0
export const matchesNone = (condition: Condition): boolean => condition.kind === 'any' && condition.parts.length === 0

/** Simplifies a condition: without nested lists of one kind, and without parts that are true or false whatever is stored. */
export function simplify(condition: Condition): Condition {
  if (condition.kind === 'equal') {
    if (condition.values.length > 0 || condition.unset) return condition
    return condition.negated ? MATCH_ALL : MATCH_NONE
  }
  if (condition.kind === 'range') return condition
  if (condition.kind === 'text') return condition.patterns.length > 0 ? condition : MATCH_NONE
  const { kind } = condition
  const parts: Condition[] = []
  for (const part of condition.parts.map(simplify)) {
    if (kind === 'all' ? matchesNone(part) : matchesAll(part)) return part
    if (part.kind === kind) parts.push(...part.parts)
    else parts.push(part)
  }
  const [only, ...others] = parts
  return only !== undefined && others.length === 0 ? only : { kind, parts }
}
