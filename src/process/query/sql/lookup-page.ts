import { sql } from 'drizzle-orm'
import type { Statement } from '../../../db/statement.ts'
import { statement } from '../../../db/statement.ts'
import { guardedLimit } from '../../../procedure/definition-guard.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { process } from '../../table.ts'
import { ROW_ID } from '../plan/columns.ts'
import type { Lookup, QueryPlan } from '../plan/plan.ts'
import { comparables } from './comparison.ts'
import type { ScanPage, ScanRow } from './scan-page.ts'
import type { RowRange } from './scans.ts'
import { and, ofProcedure, RID, rowsWithin } from './scans.ts'
import { isFound } from './search-page.ts'
import { SELECTED_ROWS } from './selected-row.ts'
import { where } from './where.ts'

/** Reads all processes that some values identify, then filters and sorts them. */
export function lookupPage(
  { procedure, search }: QueryPlan,
  { column, values, remaining }: Lookup,
  rows: RowRange,
  { limit, skip, selected, sort }: ScanPage,
): Statement<ScanRow> {
  const found = sql`${column.from} WHERE ${and([
    sql`${column.column} IN ${comparables(values)}`,
    ofProcedure(procedure),
    ...rowsWithin(rows),
    ...remaining.map(part => where(part, procedure)),
    ...(search === null ? [] : [isFound(search)]),
  ])}`
  const row = SELECTED_ROWS[selected]
  const rowsMax = guardedLimit(procedure, sql`${limit}`)
  if (sort === null)
    return statement(sql`SELECT ${RID}, ${row} ${found} ORDER BY ${process.rid} DESC LIMIT ${rowsMax} OFFSET ${skip}`)
  const matches = sql`SELECT ${sql.join([RID, ...sort.columns], sql`, `)} ${found}`
  return statement(sql`SELECT page.*, ${row} FROM (
SELECT * FROM (${matches}) WHERE ${sort.isAfter} ORDER BY ${sort.order} LIMIT ${rowsMax}) AS page
CROSS JOIN ${process} ON ${process.rid} = page.rid`)
}

/** The processes with these row numbers, in any order. */
export const rowsStatement = (procedure: Procedure, rids: number[]): Statement<{ rid: number; row: string }> =>
  statement(
    sql`SELECT ${RID}, ${SELECTED_ROWS.process} ${ROW_ID.from} WHERE ${process.rid} IN ${comparables(rids)} AND ${ofProcedure(procedure)}
LIMIT ${guardedLimit(procedure, sql`${rids.length}`)}`,
  )
