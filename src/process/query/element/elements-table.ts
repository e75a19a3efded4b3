import { type SQL, sql } from 'drizzle-orm'
import { process } from '../../table.ts'
import type { QueryPlan, RangeScan } from '../plan/plan.ts'
import type { RangeEntriesMax } from '../sql/range-table.ts'
import type { ScanPage } from '../sql/scan-page.ts'
import type { RowRange } from '../sql/scans.ts'
import { buildMatchCondition, fromRange, RID, whereInRows, whereOwner } from '../sql/scans.ts'
import { whereWanted } from '../sql/sort-expressions.ts'

/**
 * Builds the table `range_scan` of lists that have any of many elements. A process may have several of them, so entries are
 * counted first, and distinct processes are read after that.
 */
export function buildElementsTable(
  plan: QueryPlan,
  rangeScan: RangeScan,
  rows: RowRange,
  { sort, skip, limit, most, within }: Pick<ScanPage, 'sort' | 'skip' | 'limit'> & RangeEntriesMax,
): SQL {
  const entries = fromRange(rangeScan, plan.procedure)
  // An entry is of an element, so the documents that count are those of its process.
  const documents = sql`FROM (SELECT ${RID} ${entries} LIMIT ${most}) AS entry CROSS JOIN ${process} ON ${process.rid} = entry.rid`
  const entriesMax = within(documents)
  const read = sql`SELECT ${RID} ${entries} LIMIT ${entriesMax} + 1`
  const match = buildMatchCondition(rangeScan, plan, [...whereOwner(true, plan), ...whereInRows(rows)])
  const columns = sql.join([RID, match, ...(sort?.columns ?? [])], sql`, `)
  const processes = sql`SELECT ${columns} FROM (SELECT DISTINCT rid FROM element) AS one CROSS JOIN ${process} ON ${process.rid} = one.rid`
  const matches = sql`SELECT rid FROM (${processes}) WHERE ${whereWanted(sort)} ORDER BY ${sort?.order ?? sql`rid DESC`} LIMIT -1`
  return sql`element AS MATERIALIZED (${read}),
range_scan AS (SELECT (SELECT count(*) FROM element) <= ${entriesMax} AS is_complete,
(SELECT json_group_array(rid) FROM (SELECT rid FROM (${matches}) LIMIT ${skip + limit})) AS matches)`
}
