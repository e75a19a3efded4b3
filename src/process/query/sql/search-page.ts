import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/statement.ts'
import { guardedLimit } from '../../../procedure/definition-guard.ts'
import { process } from '../../table.ts'
import type { QueryPlan } from '../plan/plan.ts'
import type { ScanPage, ScanRow } from './scan-page.ts'
import type { RowRange } from './scans.ts'
import { and, ofProcedure, RID, rowsWithin } from './scans.ts'
import { SELECTED_ROWS } from './selected-row.ts'
import { whereAll } from './where.ts'

/** How many of the processes that fit a search best are looked at for the rest of a filter, and can be paged through. */
export const RANKED_MAX = 1_000

const comma = sql`, `
const matchingWords = (match: string): SQL => sql`FROM process_search WHERE process_search MATCH ${match}`

/** Of few processes, those that a search finds. */
export const isFound = (match: string): SQL => sql`${process.rid} IN (SELECT rowid ${matchingWords(match)})`

/** What holds of the processes that the index of words finds. */
const isRest = (plan: QueryPlan): SQL[] => [
  ofProcedure(plan.procedure),
  ...(plan.parts.length === 0 ? [] : [whereAll(plan.parts, plan.procedure)]),
]

/**
 * Candidates in the order of the index of words, which is newest first as every other: it stops at a bounded number of
 * them. As in `filtered-scan.ts`, the statement returns at least one row, with the number of matches and the boundary.
 */
export function searchPage(plan: QueryPlan, match: string, rows: RowRange, page: ScanPage): Statement<ScanRow> {
  const { sort, skip, limit } = page
  const isOnlyWords = plan.parts.length === 0 && sort === null
  const candidates = isOnlyWords ? skip + limit : page.limits.candidates
  const bounds = [
    ...(rows.from === null ? [] : [sql`rowid >= ${rows.from}`]),
    ...(rows.before === null ? [] : [sql`rowid < ${rows.before}`]),
  ]
  const found = sql`SELECT rowid AS rid ${sql.join([matchingWords(match), ...bounds], sql` AND `)} ORDER BY rowid DESC LIMIT ${candidates}`
  const order = sort === null ? sql`rid DESC` : sort.order
  const wanted = sort === null ? sql`` : sql`WHERE ${sort.isAfter}`
  return statement(sql`WITH candidate AS MATERIALIZED (${found}),
matched AS MATERIALIZED (SELECT ${sql.join([RID, ...(sort?.columns ?? [])], comma)} FROM candidate CROSS JOIN ${process} ON ${process.rid} = candidate.rid WHERE ${and(isRest(plan))})
SELECT ${sql.join([sql`page.rid AS rid`, SELECTED_ROWS[page.selected], ...(sort?.columns ?? [])], comma)}, found, NULL AS index_scan, boundary
FROM (SELECT (SELECT count(*) FROM matched) AS found, (SELECT CASE WHEN count(*) = ${candidates} THEN min(rid) END FROM candidate) AS boundary) AS summary
LEFT JOIN (SELECT * FROM matched ${wanted} ORDER BY ${order} LIMIT ${limit} OFFSET ${skip}) AS page
LEFT JOIN ${process} ON ${process.rid} = page.rid
LIMIT ${guardedLimit(plan.procedure, sql`-1`)}`)
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
