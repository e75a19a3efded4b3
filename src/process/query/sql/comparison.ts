import { type SQL, sql } from 'drizzle-orm'
import type { RangeOperator } from '../read/condition.ts'

export const TRUE = sql`1`
export const FALSE = sql`0`

/** Joins terms in a tree of little depth: D1 refuses expressions that are more than 100 deep. */
export function joinTerms(terms: readonly SQL[], word: 'AND' | 'OR'): SQL {
  const [only] = terms
  if (only === undefined) return word === 'AND' ? TRUE : FALSE
  if (terms.length === 1) return only
  const middle = terms.length >> 1
  const [left, right] = [joinTerms(terms.slice(0, middle), word), joinTerms(terms.slice(middle), word)]
  return word === 'AND' ? sql`(${left} AND ${right})` : sql`(${left} OR ${right})`
}

/** Matches text that a binding may change: lone surrogates, and NUL, which ends a text in C. JSON carries both. */
const FRAGILE = /[\0\ud800-\udfff]/u

/** Tells whether a value can be bound without a change. */
export const isBoundAsIs = (value: string | number): boolean =>
  typeof value === 'number' ? Number.isSafeInteger(value) : !FRAGILE.test(value)

/**
 * A value with which stored ones are compared. Values that a binding may change, and fractions, are sent as JSON: SQLite then
 * reads both sides of a comparison from the same text (it may read a number with an extreme exponent as its neighbour).
 */
export const toComparable = (value: string | number): SQL =>
  isBoundAsIs(value) ? sql`${value}` : sql`(${JSON.stringify(value)} ->> '$')`

/** A value that a column has returned, to compare that column with. As a number it is exact, unlike its text. */
export const toComparableReturned = (value: string | number): SQL =>
  typeof value === 'number' ? sql`${value}` : toComparable(value)

/** Values after IN. */
export const toComparables = (values: readonly (string | number)[]): SQL =>
  sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`

/** `= <value>` or `IN <values>`. */
export function whereAnyOf(expression: SQL, values: readonly (string | number)[]): SQL {
  const [only] = values
  return only !== undefined && values.length === 1
    ? sql`${expression} = ${toComparable(only)}`
    : sql`${expression} IN ${toComparables(values)}`
}

const OPERATORS: Record<RangeOperator, SQL> = { '>': sql`>`, '>=': sql`>=`, '<': sql`<`, '<=': sql`<=` }

/** `<expression> <operator> <value>` */
export const compare = (expression: SQL, operator: RangeOperator, value: string | number): SQL =>
  sql`${expression} ${OPERATORS[operator]} ${toComparable(value)}`
