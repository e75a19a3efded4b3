import { jsonPath } from '../../../db/json.ts'
import { firstRidAt } from '../../../ids.ts'
import type { Procedure } from '../../../procedure/model.ts'
import type { ProcessColumn } from '../plan/columns.ts'
import { columnOf, columnValue, PRIMARY_KEY } from '../plan/columns.ts'
import type { Condition, Equality, Range } from '../read/condition.ts'
import { isPrimaryKey } from '../read/condition.ts'
import type { Parameters } from './parameters.ts'

/** Every condition joined in a tree of little depth: D1 refuses expressions more than 100 deep. */
export function joinTerms(terms: readonly string[], word: 'AND' | 'OR'): string {
  const [only] = terms
  if (only === undefined) return word === 'AND' ? '1' : '0'
  if (terms.length === 1) return only
  const middle = terms.length >> 1
  return `(${joinTerms(terms.slice(0, middle), word)} ${word} ${joinTerms(terms.slice(middle), word)})`
}

/** A condition as an SQL expression over one row of `process`. It may be NULL instead of false. */
export function whereOf(condition: Condition, procedure: Procedure, params: Parameters): string {
  switch (condition.kind) {
    case 'all':
    case 'any': {
      const parts = condition.parts.map(part => whereOf(part, procedure, params))
      return joinTerms(parts, condition.kind === 'all' ? 'AND' : 'OR')
    }
    case 'equal': {
      const equal = equalTo(condition, procedure, params)
      return condition.negated ? `(${equal} IS NOT TRUE)` : equal
    }
    case 'range':
      return rangeWhere(condition, procedure, params)
  }
}

/** How much of a document's reading a condition costs per row, in look-ups of one key. */
export function documentLookups(condition: Condition, procedure: Procedure): number {
  if (condition.kind === 'all' || condition.kind === 'any') {
    return condition.parts.reduce((sum, part) => sum + documentLookups(part, procedure), 0)
  }
  const { field } = condition
  const served = field.root === 'createdAt' || columnOf(field, procedure) !== null
  return served || (condition.kind === 'equal' && isPrimaryKey(field, procedure)) ? 0 : 1
}

const MS = firstRidAt(1) - firstRidAt(0)

function equalTo({ field, values, unset }: Equality, procedure: Procedure, params: Parameters): string {
  if (field.root === 'createdAt') {
    const numbers = values.filter(value => typeof value === 'number').map(ms => firstRidAt(ms) / MS)
    return `process.rid / ${MS} IN ${params.list(numbers)}`
  }
  if (isPrimaryKey(field, procedure)) {
    const texts = values.filter(value => typeof value !== 'boolean').map(String)
    return equalColumn(PRIMARY_KEY, [...new Set(texts)], unset, params)
  }
  const column = columnOf(field, procedure)
  if (column !== null) return equalColumn(column, values.map(columnValue), unset, params)
  return equalData(jsonPath(field.root ?? field.attribute), values, unset, params)
}

const among = (sql: string, values: (string | number)[], params: Parameters): string => {
  const [only] = values
  return only !== undefined && values.length === 1
    ? `${sql} = ${params.value(only)}`
    : `${sql} IN ${params.list(values)}`
}

function equalColumn({ name }: ProcessColumn, values: (string | number)[], unset: boolean, params: Parameters): string {
  const terms = values.length > 0 ? [among(name, values, params)] : []
  return joinTerms(unset ? [...terms, `${name} IS NULL`] : terms, 'OR')
}

/** The type is asked along with the value: the text `["a"]` is no list, and 1 is not true. */
function equalData(path: string, values: Equality['values'], unset: boolean, params: Parameters): string {
  const key = params.value(path)
  const texts = values.filter(value => typeof value === 'string')
  const numbers = values.filter(value => typeof value === 'number')
  const kinds = (type: string, value: string): string[] => [
    ...(texts.length > 0 ? [`WHEN 'text' THEN ${among(value, texts, params)}`] : []),
    ...(numbers.length > 0
      ? ['integer', 'real'].map(each => `WHEN '${each}' THEN ${among(value, numbers, params)}`)
      : []),
    ...[true, false].filter(each => values.includes(each)).map(each => `WHEN '${each}' THEN 1`),
    ...(type === 'type'
      ? []
      : [
          `WHEN 'array' THEN EXISTS (SELECT 1 FROM json_each(process.data, ${key}) WHERE CASE type ${kinds('type', 'value').join(' ')} END)`,
        ]),
  ]
  const type = `json_type(process.data, ${key})`
  const terms = values.length > 0 ? [`CASE ${type} ${kinds('data', `process.data->>${key}`).join(' ')} END`] : []
  return joinTerms(unset ? [...terms, `${type} IS NULL`] : terms, 'OR')
}

function rangeWhere({ field, operator, value }: Range, procedure: Procedure, params: Parameters): string {
  if (field.root === 'createdAt') {
    const { from, before } = rowNumbersAt(operator, Number(value))
    if (from !== undefined) return `process.rid >= ${params.value(from)}`
    return before === undefined ? '0' : `process.rid < ${params.value(before)}`
  }
  const column = columnOf(field, procedure)
  const compared = `${operator} ${params.value(value)}`
  if (column !== null) {
    // Numbers sort before all text: a bound on one side would let the other kind in.
    const kind = typeof value === 'number' ? `< ''` : `>= ''`
    return column.mixed ? `(${column.name} ${compared} AND ${column.name} ${kind})` : `${column.name} ${compared}`
  }
  const key = params.value(jsonPath(field.root ?? field.attribute))
  const types = typeof value === 'number' ? `IN ('integer', 'real')` : `= 'text'`
  return `(process.data->>${key} ${compared} AND json_type(process.data, ${key}) ${types})`
}

/** A bound on the time of creation is a bound on row numbers. */
export function rowNumbersAt(operator: Range['operator'], ms: number): { from?: number; before?: number } {
  switch (operator) {
    case '>=':
      return { from: firstRidAt(ms) }
    case '>':
      return { from: firstRidAt(ms + 1) }
    case '<':
      return { before: firstRidAt(ms) }
    case '<=':
      return { before: firstRidAt(ms + 1) }
  }
}
