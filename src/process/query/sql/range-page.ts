import type { Statement } from '../../../db/statement.ts'
import { type StatementsByShape, statementByShape } from '../../../db/statement-by-shape.ts'
import { planParts, type QueryPlan } from '../plan/plan.ts'
import type { Condition, Range } from '../read/condition.ts'
import { isBoundAsIs } from './comparison.ts'
import { filteredScan } from './filtered-scan.ts'
import type { ScanPage, ScanRow } from './scan-page.ts'
import type { RowRange } from './scans.ts'

const known: StatementsByShape = new Map()

const isSimpleRange = (part: Condition): part is Range => part.kind === 'range' && isBoundAsIs(part.value)
const isLow = ({ operator }: Range): boolean => operator === '>' || operator === '>='

/**
 * The filtered scan of a list by one range and nothing else. Its text is made once for each index, operators and limits;
 * null where the text depends on the values as well.
 */
export function rangePage(plan: QueryPlan, rows: RowRange, page: ScanPage): Statement<ScanRow> | null {
  const ranges = plan.parts.filter(isSimpleRange)
  if (page.sort !== null || page.skip > 0 || ranges.length < plan.parts.length) return null
  const [low, anotherLow] = ranges.filter(isLow)
  const [high, anotherHigh] = ranges.filter(part => !isLow(part))
  // Of several bounds on one side, the values decide which one is the tighter.
  if (anotherLow !== undefined || anotherHigh !== undefined) return null

  const { no, version } = plan.procedure
  const values = { no, version, low: low?.value ?? null, high: high?.value ?? null, ...rows }
  const parts = ranges.map(({ operator, value }) => `${operator} ${typeof value}`)
  const rowBounds = [rows.from !== null, rows.before !== null]
  const { selected, limit, limits } = page
  const shape = [plan.rangeScan?.column.index, ...parts, ...rowBounds, selected, limit, ...Object.values(limits)]
  return statementByShape(known, shape.join(' '), values, ({ no, version, low, high, ...rows }) => {
    const parts = ranges.map(part => ({ ...part, value: (isLow(part) ? low : high) ?? part.value }))
    const same = planParts(parts, { ...plan.procedure, no, version })
    return filteredScan({ plan: same, indexScans: same.indexScans, rangeScan: same.rangeScan, rows, page })
  })
}
