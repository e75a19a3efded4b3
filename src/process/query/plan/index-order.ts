import type { Condition, QueryField } from '../read/condition.ts'
import { isPlainEquality, isSameField } from '../read/condition.ts'
import type { SortField } from '../read/sort.ts'
import type { RangeBounds } from './bounds.ts'
import { findTightestBounds } from './bounds.ts'
import type { QueryColumn } from './columns.ts'
import { findSortColumn, toColumnValue } from './columns.ts'
import type { QueryPlan } from './plan.ts'
import { findPrefixes } from './prefixes.ts'

/** A list sorted by a field that has an index. It is read in the order of that index if matches are frequent enough. */
export interface IndexOrder {
  plan: QueryPlan
  column: QueryColumn
  descending: boolean
  /** The part of the index that the filter allows, if it bounds the field. */
  bounds: RangeBounds | null
  /** The part of the filter that the bounds do not ensure. */
  remaining: Condition[]
  /** Whether processes without a value may follow. */
  hasUnset: boolean
}

/** Plans to read an index in the requested order. Returns null if there is none, and if ids or primary keys identify few processes. */
export function planIndexOrder(plan: QueryPlan, fields: SortField[]): IndexOrder | null {
  const [first, ...others] = fields
  if (first === undefined || others.length > 0 || plan.lookup !== null || plan.search !== null) return null
  const column = findSortColumn(first.field, plan.procedure)
  if (column === null || column.index === null) return null
  const { bounds, remaining } = findOrderBounds(column, first.field, plan)
  const isRequired = plan.parts.some(part => requiresValue(part, first.field))
  return { plan, column, descending: first.descending, bounds, remaining, hasUnset: !column.always && !isRequired }
}

const requiresValue = (part: Condition, field: QueryField): boolean =>
  (part.kind === 'range' || part.kind === 'text' || isPlainEquality(part)) && isSameField(part.field, field)

function findOrderBounds(
  column: QueryColumn,
  field: QueryField,
  { parts, procedure }: QueryPlan,
): Pick<IndexOrder, 'bounds' | 'remaining'> {
  for (const part of parts) {
    if (isPlainEquality(part) && part.values.length === 1 && isSameField(part.field, field) && !column.unique) {
      const [value = ''] = part.values.map(toColumnValue)
      const bounds: RangeBounds = {
        low: { operator: '>=', value },
        high: { operator: '<=', value },
        numeric: typeof value === 'number',
      }
      return { bounds, remaining: parts.filter(each => each !== part) }
    }
    if (part.kind === 'text' && isSameField(part.field, field)) {
      const bounds = findPrefixes(part)?.span
      if (bounds !== undefined) return { bounds, remaining: parts }
    }
    if (part.kind !== 'range' || !isSameField(part.field, field)) continue
    const { bounds, used } = findTightestBounds(column, typeof part.value === 'number', parts, procedure)
    if (used.length > 0) return { bounds, remaining: parts.filter(each => !used.includes(each)) }
  }
  return { bounds: null, remaining: parts }
}
