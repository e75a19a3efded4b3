import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../../db/statement.ts'
import { statement } from '../../../db/statement.ts'
import { guardLimit } from '../../../procedure/definition-guard.ts'
import { process } from '../../table.ts'
import type { QueryPlan } from '../plan/plan.ts'
import type { ScanPage, ScanRow } from './scan-page.ts'
import { and, RID } from './scans.ts'
import { SELECTED_ROWS } from './selected-row.ts'

export interface Candidates {
  /** Selects the row numbers as `rid`, newest first, with a LIMIT of its own. */
  candidates: SQL
  /** That limit. If as many are selected, there may be more. */
  limit: SQL
  /** The conditions that a candidate must meet to match. */
  conditions: SQL[]
}

const comma = sql`, `

/**
 * Builds the statement of the matches among the newest of some candidates. As in `filtered-scan.ts`, it returns at least
 * one row, with the number of matches and the boundary.
 */
export function buildCandidatePage(
  plan: QueryPlan,
  { candidates, limit, conditions }: Candidates,
  page: ScanPage,
): Statement<ScanRow> {
  const { sort } = page
  const order = sort === null ? sql`rid DESC` : sort.order
  const wanted = sort === null ? sql`` : sql`WHERE ${sort.isAfter}`
  return statement(sql`WITH candidate AS MATERIALIZED (${candidates}),
matched AS MATERIALIZED (SELECT ${sql.join([RID, ...(sort?.columns ?? [])], comma)} FROM candidate CROSS JOIN ${process} ON ${process.rid} = candidate.rid WHERE ${and(conditions)})
SELECT ${sql.join([sql`page.rid AS rid`, SELECTED_ROWS[page.selected], ...(sort?.columns ?? [])], comma)}, found, NULL AS index_scan, boundary
FROM (SELECT (SELECT count(*) FROM matched) AS found, (SELECT CASE WHEN count(*) = ${limit} THEN min(rid) END FROM candidate) AS boundary) AS summary
LEFT JOIN (SELECT * FROM matched ${wanted} ORDER BY ${order} LIMIT ${page.limit} OFFSET ${page.skip}) AS page
LEFT JOIN ${process} ON ${process.rid} = page.rid
LIMIT ${guardLimit(plan.procedure, sql`-1`)}`)
}
