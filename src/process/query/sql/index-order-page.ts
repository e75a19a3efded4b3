import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../../db/statement.ts'
import { statement } from '../../../db/statement.ts'
import { guardLimit } from '../../../procedure/definition-guard.ts'
import { BYTES } from '../../document-bytes.ts'
import { process } from '../../table.ts'
import type { ProcessMatch } from '../newest-page.ts'
import type { RangeBounds } from '../plan/bounds.ts'
import { ROW_NUMBER } from '../plan/columns.ts'
import type { IndexOrder } from '../plan/index-order.ts'
import type { SortPosition } from '../read/sort.ts'
import { countCandidates, countDocumentBytes, type ScanLimits } from '../scan-limits.ts'
import { compare, toComparable } from './comparison.ts'
import { limitEntries } from './large-documents.ts'
import { and, between, buildMatchColumn, RID, whereInRows, whereProcedure } from './scans.ts'
import { SELECTED_ROWS } from './selected-row.ts'
import { buildWhereAll, estimateRowCost } from './where.ts'

interface IndexOrderPage {
  after: SortPosition | null
  skip: number
  limit: number
  limits: ScanLimits
}

/** A match; or, without a row number, the number of matches and whether the page is complete. */
interface IndexOrderRow {
  rid: number | null
  row: string | null
  sort0: string | number | null
  found: number | null
  is_complete: 0 | 1 | null
}

const selectLast = (entriesMax: SQL): SQL => sql`1 OFFSET ${entriesMax} - 1`

const NOTHING = sql`SELECT 0 AS rid, 0 AS sort0 WHERE 0`
const newestFirst = sql`${process.rid} DESC`

/**
 * The page after a position, read in the order of an index, up to a bounded number of entries:
 *
 * - `tied`: matches with the position's own value that come after it, newest first
 * - `following`: matches beyond that value, in the order of the index
 * - `cut`: the value at which a full page ends. An ascending index has the oldest first within equal values, so that
 *   value's entries are read once more, newest first: `cut_tied`
 * - `matches`: all three
 *
 * The last row of the result has the number of matches, and whether the page is complete within the bounded number.
 */
export function selectInIndexOrder(indexOrder: IndexOrder, page: IndexOrderPage): Statement<IndexOrderRow> {
  const { plan, column, descending } = indexOrder
  const wanted = page.skip + page.limit
  const filter = [buildWhereAll(indexOrder.remaining, plan.procedure)]
  const rows = whereInRows(plan)
  const entriesMax = getEntriesMax(indexOrder, page)
  const all = sql`${entriesMax}`
  const cost = estimateRowCost(indexOrder.remaining, plan.procedure)
  const most = { most: entriesMax, bytesMax: countDocumentBytes(cost, page.limits) }
  /** Limits entries by the bytes of their documents. Entries are not in the order of the rows. */
  const within = (entries: (limit: SQL) => SQL): SQL =>
    limitEntries(plan.procedure, { from: null, before: null }, most, entries(all))
  const entries = (where: SQL[], order: SQL, limit: SQL, shown: SQL): SQL =>
    sql`SELECT ${RID}, ${column.column} AS sort0, ${shown} ${column.from} WHERE ${and([whereProcedure(plan.procedure), ...where])} ORDER BY ${order} LIMIT ${limit}`
  const selectMatches = (source: SQL): SQL => sql`SELECT rid, sort0 FROM (${source}) WHERE is_match LIMIT ${wanted}`

  const tied = whereTied(indexOrder, page.after)
  const tiedEntries = (limit: SQL, shown: SQL): SQL => entries([...(tied ?? []), ...rows], newestFirst, limit, shown)
  const direction = descending ? sql`DESC` : sql`ASC`
  const beyond = whereBeyond(indexOrder, page.after)
  const isInRowOrder = column === ROW_NUMBER
  const followingEntries = (limit: SQL, shown: SQL): SQL =>
    isInRowOrder
      ? entries([...beyond, ...rows], sql`${process.rid} ${direction}`, limit, shown)
      : entries(beyond, sql`${column.column} ${direction}, ${process.rid} ${direction}`, limit, shown)
  const following = buildMatchColumn(isInRowOrder ? filter : [...rows, ...filter])

  const hasCut = !descending && !column.unique
  const cut = hasCut ? sql`CASE WHEN count(*) = ${wanted} THEN max(sort0) END` : sql`NULL`
  const cutEntries = (limit: SQL, shown: SQL): SQL =>
    entries([sql`${column.column} = (SELECT sort0 FROM cut)`, ...rows], newestFirst, limit, shown)
  const cutMax = within(limit => cutEntries(limit, BYTES))
  const tiedMax = within(limit => tiedEntries(limit, BYTES))
  const followingMax = within(limit => followingEntries(limit, BYTES))
  const tables = [
    sql`tied AS MATERIALIZED (${tied === null ? NOTHING : selectMatches(tiedEntries(tiedMax, buildMatchColumn(filter)))})`,
    sql`following AS MATERIALIZED (${selectMatches(followingEntries(followingMax, following))})`,
    sql`cut AS MATERIALIZED (SELECT ${cut} AS sort0 FROM following)`,
    sql`cut_tied AS MATERIALIZED (${hasCut ? selectMatches(cutEntries(cutMax, buildMatchColumn(filter))) : NOTHING})`,
    sql`matches AS MATERIALIZED (SELECT rid, sort0 FROM tied UNION ALL SELECT rid, sort0 FROM following WHERE sort0 IS NOT (SELECT sort0 FROM cut) UNION ALL SELECT rid, sort0 FROM cut_tied)`,
  ]
  // CASE stops at the first result: the entry at the limit is looked for only if the page is not full.
  const isFull = (table: SQL): SQL => sql`(SELECT count(*) FROM ${table}) = ${wanted}`
  const isRead = (table: SQL, lastEntry: SQL): SQL =>
    sql`CASE WHEN ${isFull(table)} THEN 1 ELSE NOT EXISTS (SELECT 1 FROM (${lastEntry})) END`
  const isEnough = sql`CASE WHEN ${isRead(sql`following`, followingEntries(selectLast(followingMax), buildMatchColumn([])))} THEN count(*) >= ${wanted} OR (SELECT sort0 IS NULL FROM cut) ELSE 0 END`
  const isComplete =
    tied === null
      ? isEnough
      : sql`CASE WHEN ${isFull(sql`tied`)} THEN 1 WHEN ${isRead(sql`tied`, tiedEntries(selectLast(tiedMax), buildMatchColumn([])))} THEN ${isEnough} ELSE 0 END`
  return statement(sql`WITH ${sql.join(tables, sql`,\n`)}
SELECT page.rid AS rid, ${SELECTED_ROWS.process}, page.sort0 AS sort0, NULL AS found, NULL AS is_complete
FROM (SELECT rid, sort0 FROM matches ORDER BY sort0 ${direction}, rid DESC LIMIT ${page.limit} OFFSET ${page.skip}) AS page
CROSS JOIN ${process} ON ${process.rid} = page.rid
UNION ALL SELECT NULL, NULL, NULL, count(*), ${isComplete} FROM matches
LIMIT ${guardLimit(plan.procedure, sql`-1`)}`)
}

/** Returns how many entries of the index are read at most: fewer if the filter has an index of its own. */
function getEntriesMax({ plan, remaining }: IndexOrder, { skip, limit, limits }: IndexOrderPage): number {
  const hasIndexScan = plan.indexScans.some(({ keys }) => keys.length > 0)
  const cost = estimateRowCost(remaining, plan.procedure)
  const candidates = hasIndexScan ? limits.indexOrderBesideIndexMax : limits.candidates
  const most = countCandidates(cost, { candidates })
  return Math.max(most, cost.row > 0 ? limit : skip + limit)
}

/** Matches the entries with the same value as a position that come after it, by their ids. Null if there can be none. */
function whereTied({ column }: IndexOrder, after: SortPosition | null): SQL[] | null {
  const reached = after?.values[0] ?? null
  if (after === null || reached === null || column.unique) return null
  return [sql`${column.column} = ${toComparable(reached)}`, sql`${process.rid} < ${after.rid}`]
}

/** Matches the entries whose value comes after that of a position, within the bounds of the filter. */
function whereBeyond({ column, descending, bounds }: IndexOrder, after: SortPosition | null): SQL[] {
  const reached = after?.values[0] ?? null
  if (bounds !== null) {
    const side: Partial<RangeBounds> =
      reached === null
        ? {}
        : descending
          ? { high: { operator: '<', value: reached } }
          : { low: { operator: '>', value: reached } }
    return [between(column, { ...bounds, ...side })]
  }
  if (reached !== null) return [compare(column.column, descending ? '<' : '>', reached)]
  return column.always ? [] : [sql`${column.column} IS NOT NULL`]
}

export interface IndexOrderResult {
  /** The matches in the requested order. */
  matches: ProcessMatch[]
  found: number
}

/** Reads the page. Returns null if it is incomplete, because too many entries of the index do not match. */
export function readIndexOrder(rows: IndexOrderRow[]): IndexOrderResult | null {
  const summary = rows.find(({ found }) => found !== null)
  if (summary?.is_complete !== 1) return null
  const matches = rows.flatMap(({ rid, row, sort0 }) =>
    rid === null || row === null ? [] : [{ rid, row, values: [sort0] }],
  )
  return { matches, found: summary.found ?? 0 }
}
