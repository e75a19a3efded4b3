import type { Condition, QueryField } from '../read/condition.ts'
import { isPlainEquality, sameField } from '../read/condition.ts'
import type { SortField } from '../read/sort.ts'
import type { RangeBounds } from './bounds.ts'
import { tightestBounds } from './bounds.ts'
import type { QueryColumn } from './columns.ts'
import { columnValue, sortColumnOf } from './columns.ts'
import type { QueryPlan } from './plan.ts'

/** A list by one field whose index has that order: it is read along the index while matches lie close enough in it. */
export interface IndexOrder {
  plan: QueryPlan
  column: QueryColumn
  descending: boolean
  /** Where the index is entered and left, if the filter says so. */
  bounds: RangeBounds | null
  /** What the bounds leave to be asked of each process. */
  remaining: Condition[]
  /** Whether processes without a value may follow. */
  hasUnset: boolean
}

/** The index that has the order asked for, or null where none has, or an id or primary key leads to few processes. */
export function planIndexOrder(plan: QueryPlan, fields: SortField[]): IndexOrder | null {
  const [first, ...others] = fields
  if (first === undefined || others.length > 0 || plan.lookup !== null) return null
  const column = sortColumnOf(first.field, plan.procedure)
  if (column === null || column.index === null) return null
  const { bounds, remaining } = boundsInOrder(column, first.field, plan)
  const isAsked = plan.parts.some(part => requiresValue(part, first.field))
  return { plan, column, descending: first.descending, bounds, remaining, hasUnset: !column.always && !isAsked }
}

const requiresValue = (part: Condition, field: QueryField): boolean =>
  (part.kind === 'range' || isPlainEquality(part)) && sameField(part.field, field)

function boundsInOrder(
  column: QueryColumn,
  field: QueryField,
  { parts, procedure }: QueryPlan,
): Pick<IndexOrder, 'bounds' | 'remaining'> {
  for (const part of parts) {
    if (isPlainEquality(part) && part.values.length === 1 && sameField(part.field, field) && !column.unique) {
      const [value = ''] = part.values.map(columnValue)
      const bounds: RangeBounds = {
        low: { operator: '>=', value },
        high: { operator: '<=', value },
        numeric: typeof value === 'number',
      }
      return { bounds, remaining: parts.filter(each => each !== part) }
    }
    if (part.kind !== 'range' || !sameField(part.field, field)) continue
    const { bounds, used } = tightestBounds(column, typeof part.value === 'number', parts, procedure)
    if (used.length > 0) return { bounds, remaining: parts.filter(each => !used.includes(each)) }
  }
  return { bounds: null, remaining: parts }
}
