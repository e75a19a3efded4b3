import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../../db/statement.ts'
import { statement } from '../../../db/statement.ts'
import { guardLimit } from '../../../procedure/definition-guard.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { BYTES, BYTES_WITH_WORDS, countFittingEntries } from '../../document-bytes.ts'
import { process } from '../../table.ts'
import { ROW_ID } from '../plan/columns.ts'
import type { Lookup, QueryPlan } from '../plan/plan.ts'
import { countCandidates, countDocumentBytes } from '../scan-limits.ts'
import { buildCandidatePage } from './candidate-page.ts'
import { TRUE, toComparables } from './comparison.ts'
import { limitEntries } from './large-documents.ts'
import type { ScanPage, ScanRow } from './scan-page.ts'
import type { RowRange } from './scans.ts'
import { and, estimateScanCost, RID, whereInRows, whereProcedure } from './scans.ts'
import { whereFound } from './search-page.ts'
import { SELECTED_ROWS } from './selected-row.ts'
import { addLookups, buildWhere } from './where.ts'

/** The cost of looking for a word, compared with that of a key: it is compared at each character of all words of a process. */
const LOOKUPS_PER_WORD = 8

/** Reads the processes that some values identify, then filters and sorts them. It reads all of them at once unless it reads their documents. */
export function buildLookupPage(
  plan: QueryPlan,
  { column, values, remaining }: Lookup,
  rows: RowRange,
  page: ScanPage,
): Statement<ScanRow> {
  const { procedure, search } = plan
  const { limit, skip, selected, sort } = page
  const identified = [
    sql`${column.column} IN ${toComparables(values)}`,
    whereProcedure(procedure),
    ...whereInRows(rows),
  ]
  const conditions = [
    ...remaining.map(part => buildWhere(part, procedure)),
    ...(search === null ? [] : [whereFound(search)]),
  ]
  const cost = addLookups(estimateScanCost(remaining, plan, sort), LOOKUPS_PER_WORD * (search?.length ?? 0))
  if (cost.documents > 0) {
    const newest = (shown: SQL, most: SQL): SQL =>
      sql`SELECT ${shown} ${column.from} WHERE ${and(identified)} ORDER BY ${process.rid} DESC LIMIT ${most}`
    const most = countCandidates(cost, page.limits)
    const entryLimits = { most, bytesMax: countDocumentBytes(cost, page.limits) }
    const within =
      search === null
        ? limitEntries(procedure, rows, entryLimits, newest(BYTES, sql`${most}`))
        : countFittingEntries(entryLimits, newest(BYTES_WITH_WORDS, sql`${most}`))
    return buildCandidatePage(
      plan,
      { candidates: newest(RID, within), limit: within, conditions: [TRUE, ...conditions] },
      page,
    )
  }
  const found = sql`${column.from} WHERE ${and([...identified, ...conditions])}`
  const row = SELECTED_ROWS[selected]
  const rowsMax = guardLimit(procedure, sql`${limit}`)
  if (sort === null)
    return statement(sql`SELECT ${RID}, ${row} ${found} ORDER BY ${process.rid} DESC LIMIT ${rowsMax} OFFSET ${skip}`)
  const matches = sql`SELECT ${sql.join([RID, ...sort.columns], sql`, `)} ${found}`
  return statement(sql`SELECT page.*, ${row} FROM (
SELECT * FROM (${matches}) WHERE ${sort.isAfter} ORDER BY ${sort.order} LIMIT ${rowsMax}) AS page
CROSS JOIN ${process} ON ${process.rid} = page.rid`)
}

/** Selects the processes with these row numbers, in any order. */
export const selectRows = (
  procedure: Procedure,
  rids: number[],
  selected: 'process' | 'whole process',
): Statement<{ rid: number; row: string }> =>
  statement(
    sql`SELECT ${RID}, ${SELECTED_ROWS[selected]} ${ROW_ID.from} WHERE ${process.rid} IN ${toComparables(rids)} AND ${whereProcedure(procedure)}
LIMIT ${guardLimit(procedure, sql`${rids.length}`)}`,
  )
