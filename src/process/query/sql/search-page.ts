import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/statement.ts'
import { guardedLimit } from '../../../procedure/definition-guard.ts'
import { process } from '../../table.ts'
import type { QueryPlan } from '../plan/plan.ts'
import { bytesFor, candidatesFor } from '../scan-limits.ts'
import { candidatePage } from './candidate-page.ts'
import { BYTES, entriesWithin } from './document-bytes.ts'
import type { ScanPage, ScanRow } from './scan-page.ts'
import type { RowRange } from './scans.ts'
import { and, costOfScan, ofProcedure, RID, rowsWithin } from './scans.ts'
import { SELECTED_ROWS } from './selected-row.ts'
import { whereAll } from './where.ts'

/** How many of the processes that fit a search best are looked at for the rest of a filter, and can be paged through. */
export const RANKED_MAX = 1_000

const matchingWords = (match: string): SQL => sql`FROM process_search WHERE process_search MATCH ${match}`

/** Of few processes, those that a search finds. */
export const isFound = (match: string): SQL => sql`${process.rid} IN (SELECT rowid ${matchingWords(match)})`

/** What holds of the processes that the index of words finds. */
const isRest = (plan: QueryPlan): SQL[] => [
  ofProcedure(plan.procedure),
  ...(plan.parts.length === 0 ? [] : [whereAll(plan.parts, plan.procedure)]),
]

/** Candidates in the order of the index of words, which is newest first as every other: it stops at a bounded number of them. */
export function searchPage(plan: QueryPlan, match: string, rows: RowRange, page: ScanPage): Statement<ScanRow> {
  const { sort, skip, limit } = page
  const isOnlyWords = plan.parts.length === 0 && sort === null
  const cost = costOfScan(plan.parts, plan, sort)
  const most = isOnlyWords ? skip + limit : candidatesFor(cost, page.limits)
  const bounds = [
    ...(rows.from === null ? [] : [sql`rowid >= ${rows.from}`]),
    ...(rows.before === null ? [] : [sql`rowid < ${rows.before}`]),
  ]
  const found = (candidates: SQL): SQL =>
    sql`SELECT rowid AS rid ${sql.join([matchingWords(match), ...bounds], sql` AND `)} ORDER BY rowid DESC LIMIT ${candidates}`
  const bytes = sql`SELECT ${BYTES} FROM (${found(sql`${most}`)}) AS found CROSS JOIN ${process} ON ${process.rid} = found.rid`
  const bytesMax = bytesFor(cost, page.limits)
  const candidates =
    cost.documents === 0 ? sql`${most}` : entriesWithin(plan.procedure, rows, { most, bytesMax }, bytes)
  return candidatePage(plan, { candidates: found(candidates), limit: candidates, conditions: isRest(plan) }, page)
}

/** A page of those that fit best, by SQLite's bm25: of equal ones the newest first. */
export function relevantPage(
  plan: QueryPlan,
  match: string,
  { skip, limit }: { skip: number; limit: number },
): Statement<{ rid: number; row: string }> {
  const best = sql`SELECT rowid AS rid, rank AS score ${matchingWords(match)} ORDER BY rank LIMIT ${RANKED_MAX}`
  return statement(sql`WITH best AS MATERIALIZED (${best})
SELECT ${RID}, ${SELECTED_ROWS.process} FROM best CROSS JOIN ${process} ON ${process.rid} = best.rid
WHERE ${and([...isRest(plan), ...rowsWithin(plan)])} ORDER BY best.score, ${process.rid} DESC LIMIT ${guardedLimit(plan.procedure, sql`${limit}`)} OFFSET ${skip}`)
}
