import { getFirstRid } from '../../../ids.ts'
import type { RangeOperator } from '../read/condition.ts'

/** Converts a bound on the time of creation into a bound on row numbers. */
export function toRowNumbers(operator: RangeOperator, ms: number): { from?: number; before?: number } {
  switch (operator) {
    case '>=':
      return { from: getFirstRid(ms) }
    case '>':
      return { from: getFirstRid(ms + 1) }
    case '<':
      return { before: getFirstRid(ms) }
    case '<=':
      return { before: getFirstRid(ms + 1) }
  }
}
