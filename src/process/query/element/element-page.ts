import { sql } from 'drizzle-orm'
import type { Statement } from '../../../db/statement.ts'
import { statement } from '../../../db/statement.ts'
import { process } from '../../table.ts'
import { type IndexScan, isElement, type QueryPlan } from '../plan/plan.ts'
import { whereHasLarge } from '../sql/large-documents.ts'
import type { ScanPage, ScanRow } from '../sql/scan-page.ts'
import type { RowRange } from '../sql/scans.ts'
import { and, RID, selectScanEntries, whereProcedure } from '../sql/scans.ts'
import { SELECTED_ROWS } from '../sql/selected-row.ts'
import { buildWhereAll } from '../sql/where.ts'
import { guardPlan } from './planned-limit.ts'

/** Tells whether a query is for one element of a list and nothing else. */
export const isByElement = ({ parts }: QueryPlan, { keys: [key, ...others] }: IndexScan): boolean =>
  key !== undefined && isElement(key) && others.length === 0 && parts.length === 1 && parts[0]?.kind === 'equal'

/** Large documents that are read without counting their bytes. More of 900,000 bytes each take too long. */
const LARGE_AT_ONCE = 40

/** Tells whether a page is read at once even if documents are large. */
export const isForLarge = ({ skip, limit }: Pick<ScanPage, 'skip' | 'limit'>): boolean => skip + limit <= LARGE_AT_ONCE

/**
 * Builds the statement of a page on which every entry is a match, unless it is out of date: an entry and a process are read
 * for each row of the response. If there are large documents, a long page is cut, and the next statement goes on after it.
 */
export function buildElementPage(plan: QueryPlan, scan: IndexScan, rows: RowRange, page: ScanPage): Statement<ScanRow> {
  const { limit, skip, selected } = page
  const { keys } = selectScanEntries(scan, plan, rows)
  const conditions = [whereProcedure(plan.procedure), buildWhereAll(scan.remaining, plan.procedure)]
  const cut = isForLarge(page) ? sql`NULL` : sql`iif(${whereHasLarge(plan.procedure, rows)}, ${LARGE_AT_ONCE}, NULL)`
  const most = isForLarge(page) ? sql`${limit}` : sql`ifnull(${cut}, ${limit})`
  return statement(
    sql`SELECT ${RID}, ${SELECTED_ROWS[selected]}, ${cut} AS cut FROM (SELECT ${RID} ${sql.join(keys)}) AS entry
CROSS JOIN ${process} ON ${process.rid} = entry.rid WHERE ${and(conditions)}
ORDER BY entry.rid DESC LIMIT ${guardPlan(plan, most)} OFFSET ${skip}`,
  )
}
