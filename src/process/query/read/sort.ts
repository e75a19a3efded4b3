import type { Fault } from '../../../errors.ts'
import type { Attribute, Procedure } from '../../../procedure/model.ts'
import { ATTRIBUTE_TYPES, ROOT_FIELDS } from '../../../procedure/model.ts'
import { suggest } from '../../../suggest.ts'
import type { QueryField } from './condition.ts'
import { isCreation } from './condition.ts'
import { parseField } from './filter-value.ts'
import { shortenName } from './shortened.ts'

export const SORT_FIELDS_MAX = 4

export interface SortRequest {
  field: string
  order: 'asc' | 'desc'
}

/**
 * One field of an order. Absent values come last in either direction, and so do lists and documents; numbers come before
 * text, of which as much counts as an index has; true and false are 1 and 0. Within equal values the newest comes first. The time of creation orders as the id
 * does, which begins with it.
 */
export interface SortField {
  field: QueryField
  descending: boolean
}

/** The place of a process in an order, where one page ends and the next begins: its values of the sort fields, and its row number. */
export interface SortPosition {
  values: (string | number | null)[]
  rid: number
}

export function parseSort(sort: readonly SortRequest[], procedure: Procedure, pointer = '/body/sort') {
  const faults: Fault[] = []
  const fields: SortField[] = []
  if (sort.length > SORT_FIELDS_MAX) {
    return { fields, faults: [{ message: `At most ${SORT_FIELDS_MAX} fields can be sorted by`, path: pointer }] }
  }
  const indexed = procedure.attributes.filter(each => each.indexed && !isList(each)).map(each => each.shortId)
  const sortable = [...ROOT_FIELDS, ...indexed, ...(procedure.primaryKey === null ? [] : [procedure.primaryKey])]
  for (const [index, { field: key, order }] of sort.entries()) {
    if (sortable.includes(key)) fields.push({ field: parseField(key, procedure), descending: order === 'desc' })
    else {
      const { why, hint } = explainUnsortable(procedure, key, sortable)
      const message = `"${shortenName(key)}" cannot be sorted by: ${why}`
      faults.push({ message, path: `${pointer}/${index}/field`, hint })
    }
  }
  // No two processes share the value of such a field, so fields after it order nothing.
  const unique = fields.findIndex(({ field }) => isCreation(field))
  return { fields: unique < 0 ? fields : fields.slice(0, unique + 1), faults }
}

function explainUnsortable(
  { attributes }: Procedure,
  key: string,
  sortable: readonly string[],
): { why: string; hint?: Fault['hint'] } {
  const attribute = attributes.find(({ shortId }) => shortId === key)
  if (!attribute)
    return { why: 'it is neither a root field nor an indexed attribute', hint: () => suggest(key, sortable) }
  if (isList(attribute)) return { why: 'its values are lists' }
  return ATTRIBUTE_TYPES[attribute.type] === 'document'
    ? { why: 'its values have no order' }
    : { why: 'it is not indexed', hint: 'its definition may say "indexed": true' }
}

const isList = ({ type }: Attribute): boolean => ATTRIBUTE_TYPES[type] === 'list'

export const isNewestFirst = ([first]: SortField[]): boolean =>
  first === undefined || (isCreation(first.field) && first.descending)
