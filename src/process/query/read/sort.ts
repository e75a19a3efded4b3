import { jsonPath, storedKey } from '../../../db/json.ts'
import type { Fault } from '../../../errors.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { ROOT_FIELDS } from '../../../procedure/model.ts'
import { suggest } from '../../../suggest.ts'
import type { ProcessRow } from '../../row.ts'
import type { ProcessColumn } from '../plan/columns.ts'
import { columnOf, PRIMARY_KEY } from '../plan/columns.ts'
import { isAbove } from '../plan/plan.ts'
import type { Parameters } from '../sql/parameters.ts'
import type { SortExpressions } from '../sql/scan-page.ts'
import type { QueryField } from './condition.ts'
import { isPrimaryKey } from './condition.ts'
import { fieldOf } from './filter-value.ts'

const SORT_FIELDS_MAX = 4

export interface SortRequest {
  field: string
  order: 'asc' | 'desc'
}

/**
 * One field of an order. Absent values come last in either direction, and so do lists and documents; numbers come before
 * text; true and false are 1 and 0. Within equal values the newest comes first. The time of creation orders as the id
 * does, which begins with it.
 */
export interface SortField {
  field: QueryField
  descending: boolean
}

/** What a process is ordered by, and then its row number: where a page ends and the next one begins. */
export interface SortPosition {
  values: (string | number | null)[]
  rid: number
}

export function parseSort(sort: readonly SortRequest[], procedure: Procedure, pointer = '/body/sort') {
  const faults: Fault[] = []
  const fields: SortField[] = []
  if (sort.length > SORT_FIELDS_MAX) {
    faults.push({ message: `At most ${SORT_FIELDS_MAX} fields can be sorted by`, path: pointer })
  }
  const indexed = procedure.attributes.filter(each => each.indexed).map(each => each.shortId)
  const sortable = [...ROOT_FIELDS, ...indexed, ...(procedure.primaryKey === null ? [] : [procedure.primaryKey])]
  for (const [index, { field: key, order }] of sort.entries()) {
    if (sortable.includes(key)) fields.push({ field: fieldOf(key, procedure), descending: order === 'desc' })
    else {
      const message = `"${key}" cannot be sorted by: it is neither a root field nor an indexed attribute`
      const path = `${pointer}/${index}/field`
      faults.push({ message, path, hint: () => suggest(key, sortable) })
    }
  }
  // Nothing is left to order after a field that no two processes share.
  const unique = fields.findIndex(({ field }) => isCreation(field))
  return { fields: unique < 0 ? fields : fields.slice(0, unique + 1), faults }
}

const isCreation = (field: QueryField): boolean => field.root === 'createdAt' || field.root === 'id'

export const isNewestFirst = ([first]: SortField[]): boolean =>
  first === undefined || (isCreation(first.field) && first.descending)

export const ROW_NUMBER: ProcessColumn = { name: 'process.rid', index: 'process_list', always: true, unique: true }

/** The column that holds what a field is ordered by, if one does. A primary key that is a number is ordered as such. */
export function sortColumn(field: QueryField, procedure: Procedure): ProcessColumn | null {
  if (isCreation(field)) return ROW_NUMBER
  if (field.root === undefined && isPrimaryKey(field, procedure))
    return field.valueKind === 'number' ? null : PRIMARY_KEY
  return columnOf(field, procedure)
}

function sortValue(field: QueryField, procedure: Procedure, params: Parameters): string {
  const column = sortColumn(field, procedure)
  if (column !== null) return column.name
  const key = params.value(jsonPath(field.root ?? field.attribute))
  return `CASE json_type(process.data, ${key}) WHEN 'array' THEN NULL WHEN 'object' THEN NULL ELSE process.data->>${key} END`
}

/**
 * Where a process stands in an order. Numbers are taken from the document, as they were sent: SQLite may read a number
 * with an extreme exponent as its neighbour, which is no harm as long as both sides of a comparison come from one text.
 */
export function positionOf(row: ProcessRow, fields: SortField[], procedure: Procedure): SortPosition {
  const values = fields.map(({ field }) => {
    if (isCreation(field)) return row.rid
    if (field.root !== undefined)
      return row[field.root as 'status' | 'state' | 'assignedTo' | 'updatedAt' | 'nextActionAt']
    if (sortColumn(field, procedure) === PRIMARY_KEY) return row.primaryKey
    const value = Object.hasOwn(row.data, storedKey(field.attribute)) ? row.data[storedKey(field.attribute)] : null
    if (typeof value === 'boolean') return Number(value)
    return typeof value === 'string' || typeof value === 'number' ? value : null
  })
  return { values, rid: row.rid }
}

export function sortExpressions(
  fields: SortField[],
  procedure: Procedure,
  after: SortPosition | null,
): SortExpressions {
  const order = fields.map(({ descending }, index) => `v${index} ${descending ? 'DESC' : 'ASC'} NULLS LAST`)
  return {
    names: fields.map((_, index) => `v${index}`),
    sortColumns: params =>
      fields.map(({ field }, index) => ({ name: `v${index}`, sql: sortValue(field, procedure, params) })),
    order: [...order, 'k DESC'].join(', '),
    after: params => (after === null ? '1' : behind(fields, after, params)),
  }
}

/** Lies behind a position: equal to it in the fields before one, and behind it in that one. */
function behind(fields: SortField[], { values, rid }: SortPosition, params: Parameters): string {
  let condition = `k < ${params.value(rid)}`
  for (const [index, { descending }] of [...fields.entries()].reverse()) {
    const value = values[index] ?? null
    const name = `v${index}`
    if (value === null) condition = `(${name} IS NULL AND ${condition})`
    else {
      const sent = params.value(value)
      condition = `(${name} ${descending ? '<' : '>'} ${sent} OR ${name} IS NULL OR (${name} = ${sent} AND ${condition}))`
    }
  }
  return condition
}

/** Which of two positions comes first, as the database orders them. */
export function comparePositions(fields: SortField[]): (one: SortPosition, other: SortPosition) => number {
  return (one, other) => {
    for (const [index, { descending }] of fields.entries()) {
      const [value, against] = [one.values[index] ?? null, other.values[index] ?? null]
      if (value === against) continue
      if (value === null) return 1
      if (against === null) return -1
      return isAbove(value, against) === descending ? -1 : 1
    }
    return other.rid - one.rid
  }
}
