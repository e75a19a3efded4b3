import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { readProcessRow } from '../row.ts'
import type { FoundProcess, PageBounds } from './newest-page.ts'
import { readNewestPage, readScanPage } from './newest-page.ts'
import { planIndexOrder } from './plan/index-order.ts'
import type { QueryPlan } from './plan/plan.ts'
import { planQuery } from './plan/plan.ts'
import { comparePositions, positionOf } from './plan/sort-position.ts'
import type { Condition } from './read/condition.ts'
import { simplify } from './read/condition.ts'
import type { SortField, SortPosition } from './read/sort.ts'
import type { ScanLimits } from './scan-limits.ts'
import { SQL_LENGTH_MAX } from './scan-limits.ts'
import type { IndexOrderResult } from './sql/index-order-page.ts'
import { indexOrderStatement, readIndexOrder } from './sql/index-order-page.ts'
import { rowsStatement } from './sql/rows.ts'
import { sortExpressions } from './sql/sort-expressions.ts'

/** A page in another order than newest first: along an index in that order if enough of it matches, else by sorting all matches. */
export async function readSortedPage(
  scope: Scope,
  condition: Condition,
  plan: QueryPlan,
  bounds: PageBounds,
  fields: SortField[],
  after: SortPosition | null,
  limits: ScanLimits,
): Promise<FoundProcess[]> {
  const indexOrder = planIndexOrder(plan, fields)
  if (indexOrder === null) return sortMatches(scope, plan, bounds, fields, after, limits)
  let found: IndexOrderResult | null = { rows: [], found: 0 }
  if (after === null || after.values[0] !== null) {
    const statement = indexOrderStatement(indexOrder, { ...bounds, after, limits })
    const isTooLong = statement.compile().text.length > SQL_LENGTH_MAX
    const [rows] = isTooLong ? [null] : await scope.db.read(statement)
    found = rows && readIndexOrder(rows)
  }
  if (found === null) return sortMatches(scope, plan, bounds, fields, after, limits)
  const rows = found.rows.map(readProcessRow).map(row => ({ ...positionOf(row, fields, plan.procedure), row }))
  const [field] = fields
  const missing = bounds.limit - rows.length
  if (missing <= 0 || !indexOrder.hasUnset || field === undefined) return rows
  const isUnset: Condition = { kind: 'equal', field: field.field, values: [], unset: true, negated: false }
  const unsetPlan = planQuery(simplify({ kind: 'all', parts: [condition, isUnset] }), plan.procedure)
  if (unsetPlan === null) return rows
  const unsetBounds = { skip: Math.max(0, bounds.skip - found.found), limit: missing }
  const reached = after !== null && after.values[0] === null ? after : null
  return [...rows, ...(await readNewestPage(scope, unsetPlan, unsetBounds, reached, limits))]
}

/** Each statement returns the first of its own matches in the requested order; of those the first are kept. */
async function sortMatches(
  scope: Scope,
  plan: QueryPlan,
  { skip, limit }: PageBounds,
  fields: SortField[],
  after: SortPosition | null,
  limits: ScanLimits,
): Promise<FoundProcess[]> {
  const compare = comparePositions(fields)
  const sort = sortExpressions(fields, plan.procedure, after)
  // With `skip`, statements return positions only, and the rows of the page are read at the end.
  const selected = skip === 0 ? 'process' : 'position'
  let first: (SortPosition & { row: string | null })[] = []
  let [before, indexScan]: [number | null, number | null] = [null, null]
  do {
    const page = { skip: 0, limit: skip + limit, before, indexScan, selected, sort, limits } as const
    const result = await readScanPage(scope, plan, page)
    const positions = result.matches.map(match => ({
      rid: match.rid,
      values: sort.names.map(name => match[name] ?? null),
      row: match.row,
    }))
    first = [...first, ...positions].sort(compare).slice(0, skip + limit)
    indexScan ??= result.indexScan
    before = result.boundary
  } while (before !== null)
  const page = first.slice(skip)
  if (skip === 0) return page.map(each => ({ ...each, row: readProcessRow(each.row) }))
  const rows = await readRows(scope, plan.procedure, page)
  // A process was deleted in between: the page is read again, so that it is not too short.
  return rows.length === page.length ? rows : sortMatches(scope, plan, { skip, limit }, fields, after, limits)
}

async function readRows(scope: Scope, procedure: Procedure, positions: SortPosition[]): Promise<FoundProcess[]> {
  if (positions.length === 0) return []
  const rids = positions.map(({ rid }) => rid)
  const [stored] = await scope.db.read(rowsStatement(procedure, rids))
  const rows = new Map(stored.map(({ rid, row }) => [rid, row]))
  return positions.flatMap(({ rid, values }) => {
    const row = rows.get(rid)
    return row === undefined ? [] : [{ rid, values, row: readProcessRow(row) }]
  })
}
