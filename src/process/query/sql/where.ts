import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../../../db/document/json.ts'
import { getFirstRid } from '../../../ids.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { process } from '../../table.ts'
import type { QueryColumn } from '../plan/columns.ts'
import { findColumn, findTextColumn, PRIMARY_KEY, toColumnValue } from '../plan/columns.ts'
import { toRowNumbers } from '../plan/row-numbers.ts'
import type { Condition, Equality, Range } from '../read/condition.ts'
import { isPrimaryKey } from '../read/condition.ts'
import { compare, FALSE, joinTerms, whereAnyOf } from './comparison.ts'
import { buildTextMatch, countLookups } from './text-match.ts'

/** Converts a condition into an expression over one row of `process`. It may be NULL instead of false. */
export function buildWhere(condition: Condition, procedure: Procedure): SQL {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return joinTerms(
        condition.parts.map(part => buildWhere(part, procedure)),
        condition.kind === 'all' ? 'AND' : 'OR',
      )
    case 'equal': {
      const equal = buildEquality(condition, procedure)
      return condition.negated ? sql`(${equal} IS NOT TRUE)` : equal
    }
    case 'range':
      return buildRange(condition, procedure)
    case 'text':
      return buildTextMatch(condition, procedure)
  }
}

export const buildWhereAll = (parts: Condition[], procedure: Procedure): SQL =>
  buildWhere({ kind: 'all', parts }, procedure)

/**
 * The cost of a filter on one row, in look-ups of a key. A large document costs by its bytes (`documents`), as each look-up
 * reads it anew; any other row by itself (`row`), where the first look-up is most of the cost.
 */
export interface RowCost {
  documents: number
  row: number
}

const FURTHER_LOOKUP = 1 / 8
/** The cost of a column's text, which has 1,000 characters: a quarter of a document that is not large. */
const COLUMN_TEXT = 1 / 4

export function estimateRowCost(conditions: readonly Condition[], procedure: Procedure): RowCost {
  const cost = { documents: 0, row: 0 }
  for (const part of conditions) {
    if (part.kind === 'all' || part.kind === 'any') {
      const { documents, row } = estimateRowCost(part.parts, procedure)
      cost.documents += documents
      cost.row += row
    } else if (part.kind === 'text') {
      const isInDocument = findTextColumn(part.field, procedure) === null
      if (isInDocument) cost.documents += countLookups(part)
      cost.row += countLookups(part) * (isInDocument ? 1 : COLUMN_TEXT)
    } else if (!hasColumn(part, procedure)) {
      cost.documents += 1
      cost.row += FURTHER_LOOKUP
    }
  }
  return cost
}

/** Adds look-ups besides those of the filter, for values that are sorted or computed. */
export const addLookups = ({ documents, row }: RowCost, more: number): RowCost => ({
  documents: documents + more,
  row: row + more * FURTHER_LOOKUP,
})

const hasColumn = (part: Equality | Range, procedure: Procedure): boolean =>
  part.field.root === 'createdAt' ||
  findColumn(part.field, procedure) !== null ||
  (part.kind === 'equal' && isPrimaryKey(part.field, procedure))

const ROWS_PER_MS = getFirstRid(1) - getFirstRid(0)
/** The milliseconds of a row number. The divisor is a literal: a bound number is a REAL, which would make a fraction. */
const MS_OF_ROW = sql`${process.rid} / ${sql.raw(String(ROWS_PER_MS))}`

function buildEquality({ field, values, unset }: Equality, procedure: Procedure): SQL {
  if (field.root === 'createdAt') {
    const times = values.filter(value => typeof value === 'number').map(ms => getFirstRid(ms) / ROWS_PER_MS)
    return whereAnyOf(MS_OF_ROW, times)
  }
  if (isPrimaryKey(field, procedure)) {
    const texts = values.filter(value => typeof value !== 'boolean').map(String)
    return buildColumnEquality(PRIMARY_KEY, [...new Set(texts)], unset)
  }
  const column = findColumn(field, procedure)
  if (column !== null) return buildColumnEquality(column, values.map(toColumnValue), unset)
  return buildDocumentEquality(jsonPath(field.root ?? field.attribute), values, unset)
}

function buildColumnEquality({ column }: QueryColumn, values: (string | number)[], unset: boolean): SQL {
  const terms = values.length > 0 ? [whereAnyOf(column, values)] : []
  return joinTerms(unset ? [...terms, sql`${column} IS NULL`] : terms, 'OR')
}

/** Compares type and value: the text `["a"]` is no list, and 1 is not true. */
function buildDocumentEquality(path: string, values: Equality['values'], unset: boolean): SQL {
  const type = sql`json_type(${process.data}, ${path})`
  const isUnset = unset ? [sql`${type} IS NULL`] : []
  if (values.length === 0) return joinTerms(isUnset, 'OR')
  const isElement = sql`EXISTS (SELECT 1 FROM json_each(${process.data}, ${path}) WHERE CASE type ${selectTypeCases(sql`value`, values)} END)`
  const isValue = sql`CASE ${type} ${selectTypeCases(sql`${process.data}->>${path}`, values)} WHEN 'array' THEN ${isElement} END`
  return joinTerms([isValue, ...isUnset], 'OR')
}

function selectTypeCases(value: SQL, values: Equality['values']): SQL {
  const texts = values.filter(each => typeof each === 'string')
  const numbers = values.filter(each => typeof each === 'number')
  const cases: SQL[] = []
  if (texts.length > 0) cases.push(sql`WHEN 'text' THEN ${whereAnyOf(value, texts)}`)
  if (numbers.length > 0) {
    const isNumber = whereAnyOf(value, numbers)
    cases.push(sql`WHEN 'integer' THEN ${isNumber} WHEN 'real' THEN ${isNumber}`)
  }
  if (values.includes(true)) cases.push(sql`WHEN 'true' THEN 1`)
  if (values.includes(false)) cases.push(sql`WHEN 'false' THEN 1`)
  return sql.join(cases, sql` `)
}

function buildRange({ field, operator, value }: Range, procedure: Procedure): SQL {
  if (field.root === 'createdAt') {
    const { from, before } = toRowNumbers(operator, Number(value))
    if (from !== undefined) return sql`${process.rid} >= ${from}`
    return before === undefined ? FALSE : sql`${process.rid} < ${before}`
  }
  const column = findColumn(field, procedure)
  if (column !== null) {
    const compared = compare(column.column, operator, value)
    if (!column.mixed) return compared
    // Numbers sort before all text: a bound on one side would let the other kind in.
    return typeof value === 'number'
      ? sql`(${compared} AND ${column.column} < '')`
      : sql`(${compared} AND ${column.column} >= '')`
  }
  const path = jsonPath(field.root ?? field.attribute)
  const compared = compare(sql`${process.data}->>${path}`, operator, value)
  const type = sql`json_type(${process.data}, ${path})`
  return typeof value === 'number'
    ? sql`(${compared} AND ${type} IN ('integer', 'real'))`
    : sql`(${compared} AND ${type} = 'text')`
}
