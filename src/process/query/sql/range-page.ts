import { type Bindable, type CompiledStatement, cacheByShape, type Statement } from '../../../db/statement.ts'
import { planParts, type QueryPlan } from '../plan/plan.ts'
import type { Condition, Range } from '../read/condition.ts'
import { isBoundAsIs } from './comparison.ts'
import { buildFilteredScan } from './filtered-scan.ts'
import type { ScanPage, ScanRow } from './scan-page.ts'
import type { RowRange } from './scans.ts'

const isSimpleRange = (part: Condition): part is Range => part.kind === 'range' && isBoundAsIs(part.value)
const isLow = ({ operator }: Range): boolean => operator === '>' || operator === '>='

/**
 * Builds the filtered scan of a list by one range and nothing else. Its text is made once for each index, operators and
 * limits. Returns null if the text depends on the values as well.
 */
export function buildRangePage(plan: QueryPlan, rows: RowRange, page: ScanPage): Statement<ScanRow> | null {
  const ranges = plan.parts.filter(isSimpleRange)
  if (page.sort !== null || page.skip > 0 || ranges.length < plan.parts.length) return null
  const [low, anotherLow] = ranges.filter(isLow)
  const [high, anotherHigh] = ranges.filter(part => !isLow(part))
  // With several bounds on one side, the values decide which one is the tighter.
  if (anotherLow !== undefined || anotherHigh !== undefined) return null

  const { no, version } = plan.procedure
  const values = { no, version, low: low?.value ?? null, high: high?.value ?? null, ...rows }
  const parts = ranges.map(({ operator, value }) => `${operator} ${typeof value}`)
  const rowBounds = [rows.from !== null, rows.before !== null]
  const { selected, limit, limits } = page
  const shape = [plan.rangeScan?.column.index, ...parts, ...rowBounds, selected, limit, ...Object.values(limits)]
  return buildByShape(shape.join(' '), values, ({ no, version, low, high, ...rows }) => {
    const parts = ranges.map(part => ({ ...part, value: (isLow(part) ? low : high) ?? part.value }))
    const same = planParts(parts, { ...plan.procedure, no, version })
    return buildFilteredScan({ plan: same, indexScans: same.indexScans, rangeScan: same.rangeScan, rows, page })
  })
}

type RangeValues = Record<string, Bindable>

/** A compiled statement. Each parameter is a value, or the name of the value that is bound there. */
type RangeStatement = CompiledStatement<Bindable | { name: string }>
const getTemplate = cacheByShape<RangeStatement>()

/** Stand-ins for values, from this number on: no other number of such a statement is as large. */
const STAND_IN_FROM = Number.MAX_SAFE_INTEGER - 100

/**
 * Builds a statement whose text depends on a shape, and on which values are numbers, text or null, but not on the values. The
 * text is made once, with stand-ins for them. `prepared` does the same for a builder that takes placeholders.
 */
function buildByShape<Named extends RangeValues, Row>(
  shape: string,
  values: Named,
  make: (values: Named) => Statement<Row>,
): Statement<Row> {
  const { text, params } = getTemplate(shape, () => buildTemplate(values, make))
  const fill = (param: RangeStatement['params'][number]): Bindable =>
    typeof param === 'object' && param !== null ? (values[param.name] ?? null) : param
  return { compile: () => ({ text, params: params.map(fill) }) }
}

function buildTemplate<Named extends RangeValues>(values: Named, make: (values: Named) => Statement): RangeStatement {
  const places = new Map<Bindable, { name: string }>()
  const standIns = Object.entries(values).map(([name, value], nth) => {
    if (value === null) return [name, null]
    const standIn = typeof value === 'number' ? STAND_IN_FROM + nth : `value ${STAND_IN_FROM + nth}`
    places.set(standIn, { name })
    return [name, standIn]
  })
  const { text, params } = make(Object.fromEntries(standIns)).compile()
  for (const [standIn, { name }] of places) {
    if (!params.includes(standIn)) throw new Error(`the text of a statement depends on the value of ${name}`)
  }
  return { text, params: params.map(param => places.get(param) ?? param) }
}
