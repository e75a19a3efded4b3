import { toStoredName } from '../../../db/document/json.ts'
import { INDEXED_TEXT_LENGTH_MAX, type Procedure } from '../../../procedure/model.ts'
import { toStatusNumber } from '../../fields.ts'
import { parseListed } from '../../view.ts'
import type { ProcessMatch } from '../newest-page.ts'
import { isCreation } from '../read/condition.ts'
import type { SortField, SortPosition } from '../read/sort.ts'
import { isBoundAsIs } from '../sql/comparison.ts'
import { findSortColumn, PRIMARY_KEY } from './columns.ts'
import { isAbove } from './value-order.ts'

/**
 * Returns the position of a process in an order. Values are taken from the document, as they were sent, unless it has changed since it
 * was sorted: what the database returns of a number with an extreme exponent, or of half a character, may not be what it compares.
 * `text` is null if the process was deleted meanwhile.
 */
export function toSortPosition(
  { rid, values: sorted = [] }: ProcessMatch,
  text: string | null,
  fields: SortField[],
  procedure: Procedure,
): SortPosition {
  if (fields.length === 0) return { values: [], rid }
  const values = text === null ? sorted : readSortValues(text, rid, fields, procedure)
  return { values: sorted.every((value, nth) => isSameValue(values[nth] ?? null, value)) ? values : sorted, rid }
}

function readSortValues(text: string, rid: number, fields: SortField[], procedure: Procedure): SortPosition['values'] {
  const row = parseListed(text)
  return fields.map(({ field }) => {
    if (isCreation(field)) return rid
    if (field.root === 'record') return null
    if (field.root === 'status') return toStatusNumber(row.status)
    if (field.root !== undefined) return row[field.root]
    if (findSortColumn(field, procedure) === PRIMARY_KEY) return row.primaryKey
    const value = Object.hasOwn(row.data, toStoredName(field.attribute))
      ? row.data[toStoredName(field.attribute)]
      : null
    if (typeof value === 'boolean') return Number(value)
    if (typeof value === 'string') return cutText(value)
    return typeof value === 'number' ? value : null
  })
}

/** Cuts a text by code points, as the database does: a longer one has no index, and a cursor has no room for it. */
const cutText = (text: string): string =>
  Array.from(text.slice(0, 2 * INDEXED_TEXT_LENGTH_MAX))
    .slice(0, INDEXED_TEXT_LENGTH_MAX)
    .join('')

/** Tells whether the database would return this value of a document as that one. */
function isSameValue(sent: SortValue, returned: SortValue): boolean {
  if (sent === returned) return true
  if (typeof sent === 'number' && typeof returned === 'number')
    return Math.abs(sent - returned) <= Math.abs(sent) * 4 * Number.EPSILON
  return typeof sent === 'string' && typeof returned === 'string' && !isBoundAsIs(sent)
}

type SortValue = SortPosition['values'][number]

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
