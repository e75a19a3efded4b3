import { toStoredName } from '../../../db/document/json.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { toStatusNumber } from '../../fields.ts'
import { parseListed } from '../../view.ts'
import type { ProcessMatch } from '../newest-page.ts'
import { isCreation } from '../read/condition.ts'
import type { SortField, SortPosition } from '../read/sort.ts'
import { findSortColumn, PRIMARY_KEY } from './columns.ts'
import { isAbove } from './value-order.ts'

/**
 * Returns the position of a process in an order. Numbers are taken from the document, as they were sent: SQLite may read a
 * number with an extreme exponent as its neighbour, which is harmless while both sides of a comparison come from one text.
 */
export function toSortPosition(
  { rid, row: text }: ProcessMatch,
  fields: SortField[],
  procedure: Procedure,
): SortPosition {
  if (fields.length === 0) return { values: [], rid }
  const row = parseListed(text)
  const values = fields.map(({ field }) => {
    if (isCreation(field)) return rid
    if (field.root === 'record') return null
    if (field.root === 'status') return toStatusNumber(row.status)
    if (field.root !== undefined) return row[field.root]
    if (findSortColumn(field, procedure) === PRIMARY_KEY) return row.primaryKey
    const value = Object.hasOwn(row.data, toStoredName(field.attribute))
      ? row.data[toStoredName(field.attribute)]
      : null
    if (typeof value === 'boolean') return Number(value)
    return typeof value === 'string' || typeof value === 'number' ? value : null
  })
  return { values, rid }
}

/** Returns a function that compares positions as the database orders them. */
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
