import type { Procedure } from '../../../procedure/model.ts'
import type { Condition } from '../read/condition.ts'
import type { QueryColumn } from './columns.ts'
import { findColumn } from './columns.ts'
import { isAbove } from './value-order.ts'

export interface RangeBounds {
  low?: { operator: '>' | '>='; value: string | number }
  high?: { operator: '<' | '<='; value: string | number }
  numeric: boolean
}

/** Reduces the bounds on one column to one on each side: SQLite seeks by one of several, and not by the tightest. */
export function findTightestBounds(
  column: QueryColumn,
  numeric: boolean,
  parts: Condition[],
  procedure: Procedure,
): { bounds: RangeBounds; used: Condition[] } {
  const bounds: RangeBounds = { numeric }
  const used: Condition[] = []
  for (const part of parts) {
    if (part.kind !== 'range' || (typeof part.value === 'number') !== numeric) continue
    if (findColumn(part.field, procedure) !== column) continue
    used.push(part)
    const { operator, value } = part
    if (operator === '>' || operator === '>=') {
      if (isTighter(value, bounds.low?.value, operator === '>')) bounds.low = { operator, value }
    } else if (isTighter(bounds.high?.value, value, operator === '<')) bounds.high = { operator, value }
  }
  return { bounds, used }
}

type Side = string | number | undefined

/** Tells whether the first bound is tighter: it lies above the second, or both are equal and it is strict. */
function isTighter(one: Side, other: Side, strict: boolean): boolean {
  if (one === undefined || other === undefined) return true
  return one === other ? strict : isAbove(one, other)
}
