import { textStatement } from '../../db/text-statement.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { PROCESS_ROW, readProcessRow } from '../row.ts'
import type { FoundProcess, PageBounds } from './newest-page.ts'
import { readNewestPage, runOne, runScan } from './newest-page.ts'
import type { QueryPlan } from './plan/plan.ts'
import { planQuery } from './plan/plan.ts'
import type { Condition } from './read/condition.ts'
import { simplify } from './read/condition.ts'
import type { SortField, SortPosition } from './read/sort.ts'
import { comparePositions, positionOf, sortExpressions } from './read/sort.ts'
import type { ScanLimits } from './scan-limits.ts'
import { SQL_LENGTH_MAX } from './scan-limits.ts'
import type { IndexOrderResult } from './sql/index-order.ts'
import { indexOrderOf, indexOrderStatement, readIndexOrder } from './sql/index-order.ts'

/** In the order of an index where one has it and the filter lets enough of it through; else by comparing all matches. */
export async function readSortedPage(
  scope: Scope,
  condition: Condition,
  plan: QueryPlan,
  wanted: PageBounds,
  fields: SortField[],
  after: SortPosition | null,
  limits: ScanLimits,
): Promise<FoundProcess[]> {
  const indexOrder = indexOrderOf(plan, fields)
  if (indexOrder === null) return sortMatches(scope, plan, wanted, fields, after, limits)
  let found: IndexOrderResult | null = { rows: [], found: 0 }
  if (after === null || after.values[0] !== null) {
    const statement = indexOrderStatement(indexOrder, { ...wanted, after, row: PROCESS_ROW, limits })
    found =
      statement.sql.length > SQL_LENGTH_MAX ? null : readIndexOrder(await runOne(scope, plan.procedure, statement))
  }
  if (found === null) return sortMatches(scope, plan, wanted, fields, after, limits)
  const rows = found.rows.map(readProcessRow).map(row => ({ ...positionOf(row, fields, plan.procedure), row }))
  const [field] = fields
  const missing = wanted.limit - rows.length
  if (missing <= 0 || !indexOrder.tail || field === undefined) return rows
  const unset: Condition = { kind: 'equal', field: field.field, values: [], unset: true, negated: false }
  const tail = planQuery(simplify({ kind: 'all', parts: [condition, unset] }), plan.procedure)
  if (tail === null) return rows
  const rest = { skip: Math.max(0, wanted.skip - found.found), limit: missing }
  const reached = after !== null && after.values[0] === null ? after : null
  return [...rows, ...(await readNewestPage(scope, tail, rest, reached, limits))]
}

/** Each step hands over its own best; the best of all steps are kept. */
async function sortMatches(
  scope: Scope,
  plan: QueryPlan,
  { skip, limit }: PageBounds,
  fields: SortField[],
  after: SortPosition | null,
  limits: ScanLimits,
): Promise<FoundProcess[]> {
  const compare = comparePositions(fields)
  const sortBy = sortExpressions(fields, plan.procedure, after)
  // Rows that are passed over need not travel: then only positions do, and the rows are read at the end.
  const row = skip === 0 ? PROCESS_ROW : 'NULL'
  let best: (SortPosition & { row: unknown })[] = []
  let [before, indexScan]: [number | null, number | null] = [null, null]
  do {
    const result = await runScan(scope, plan, { skip: 0, limit: skip + limit, before, indexScan, row, sortBy, limits })
    const positions = result.rows.map(each => ({
      rid: Number(each.k),
      values: sortBy.names.map(name => each[name] as string | number | null),
      row: each.row,
    }))
    best = [...best, ...positions].sort(compare).slice(0, skip + limit)
    indexScan ??= result.indexScan
    before = result.boundary
  } while (before !== null)
  const page = best.slice(skip)
  if (skip === 0) return page.map(each => ({ ...each, row: readProcessRow(each.row) }))
  const rows = await readRows(scope, plan.procedure, page)
  // A process was deleted in between: the page is put together anew, so that it is no shorter than it should be.
  return rows.length === page.length ? rows : sortMatches(scope, plan, { skip, limit }, fields, after, limits)
}

async function readRows(scope: Scope, procedure: Procedure, positions: SortPosition[]): Promise<FoundProcess[]> {
  if (positions.length === 0) return []
  const sql = `SELECT process.rid AS k, ${PROCESS_ROW} AS row FROM process NOT INDEXED
  WHERE process.rid IN (SELECT value FROM json_each(?1)) AND process.proc = ?2`
  const rids = JSON.stringify(positions.map(({ rid }) => rid))
  const { rows: stored } = await runOne(scope, procedure, textStatement(sql, rids, procedure.no))
  const rows = new Map(stored.map(({ k, row }) => [Number(k), row]))
  return positions.flatMap(position => {
    const row = rows.get(position.rid)
    return row === undefined ? [] : [{ ...position, row: readProcessRow(row) }]
  })
}
