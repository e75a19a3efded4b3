import { sql } from 'drizzle-orm'
import type { Statement } from '../../../db/statement.ts'
import { statement } from '../../../db/statement.ts'
import { process } from '../../table.ts'
import { type IndexScan, isElement, type QueryPlan } from '../plan/plan.ts'
import type { ScanPage, ScanRow } from '../sql/scan-page.ts'
import type { RowRange } from '../sql/scans.ts'
import { and, entriesOf, ofProcedure, RID } from '../sql/scans.ts'
import { SELECTED_ROWS } from '../sql/selected-row.ts'
import { whereAll } from '../sql/where.ts'
import { plannedLimit } from './planned-limit.ts'

/** Whether a list is one by one element and nothing else. */
export const isByElement = ({ parts }: QueryPlan, { keys: [key, ...others] }: IndexScan): boolean =>
  key !== undefined && isElement(key) && others.length === 0 && parts.length === 1 && parts[0]?.kind === 'equal'

/** Every entry but those that are out of date is a match: an entry and a process are read for each row of the response. */
export function elementPage(
  plan: QueryPlan,
  scan: IndexScan,
  rows: RowRange,
  { limit, skip, selected }: ScanPage,
): Statement<ScanRow> {
  const { keys } = entriesOf(scan, plan, rows)
  const conditions = [ofProcedure(plan.procedure), whereAll(scan.remaining, plan.procedure)]
  return statement(
    sql`SELECT ${RID}, ${SELECTED_ROWS[selected]} FROM (SELECT ${RID} ${sql.join(keys)}) AS entry
CROSS JOIN ${process} ON ${process.rid} = entry.rid WHERE ${and(conditions)}
ORDER BY entry.rid DESC LIMIT ${plannedLimit(plan, sql`${limit}`)} OFFSET ${skip}`,
  )
}
