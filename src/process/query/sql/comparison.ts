import { type SQL, sql } from 'drizzle-orm'
import type { RangeOperator } from '../read/condition.ts'

export const TRUE = sql`1`
export const FALSE = sql`0`

/** Terms joined in a tree of little depth: D1 refuses expressions more than 100 deep. */
export function joinTerms(terms: readonly SQL[], word: 'AND' | 'OR'): SQL {
  const [only] = terms
  if (only === undefined) return word === 'AND' ? TRUE : FALSE
  if (terms.length === 1) return only
  const middle = terms.length >> 1
  const [left, right] = [joinTerms(terms.slice(0, middle), word), joinTerms(terms.slice(middle), word)]
  return word === 'AND' ? sql`(${left} AND ${right})` : sql`(${left} OR ${right})`
}

/** Text that a binding may change on the way: lone surrogates, and what ends a text in C. JSON carries both. */
const FRAGILE = /[\0\ud800-\udfff]/u

/** Whether a value is bound as it is. */
export const isBoundAsIs = (value: string | number): boolean =>
  typeof value === 'number' ? Number.isSafeInteger(value) : !FRAGILE.test(value)

/**
 * A value to compare stored ones with. What a binding may change, and fractions, travel as JSON: SQLite then reads both
 * sides of a comparison from the same text (a number with an extreme exponent it may read as its neighbour).
 */
export const comparable = (value: string | number): SQL =>
  isBoundAsIs(value) ? sql`${value}` : sql`(${JSON.stringify(value)} ->> '$')`

/** A value that a column has returned, to compare the column with: as a number, which is exact, and not by its text. */
export const comparableReturned = (value: string | number): SQL =>
  typeof value === 'number' ? sql`${value}` : comparable(value)

/** Values to stand after IN. */
export const comparables = (values: readonly (string | number)[]): SQL =>
  sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`

/** `= <value>` or `IN <values>`. */
export function equalToAny(expression: SQL, values: readonly (string | number)[]): SQL {
  const [only] = values
  return only !== undefined && values.length === 1
    ? sql`${expression} = ${comparable(only)}`
    : sql`${expression} IN ${comparables(values)}`
}

const OPERATORS: Record<RangeOperator, SQL> = { '>': sql`>`, '>=': sql`>=`, '<': sql`<`, '<=': sql`<=` }

/** `<expression> <operator> <value>` */
export const compare = (expression: SQL, operator: RangeOperator, value: string | number): SQL =>
  sql`${expression} ${OPERATORS[operator]} ${comparable(value)}`
