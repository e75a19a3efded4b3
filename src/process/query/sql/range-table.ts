import { type SQL, sql } from 'drizzle-orm'
import { BYTES } from '../../document-bytes.ts'
import { process } from '../../table.ts'
import { buildElementsTable } from '../element/elements-table.ts'
import type { QueryPlan, RangeScan } from '../plan/plan.ts'
import { arePrefixes } from '../plan/prefixes.ts'
import { countCandidates, countDocumentBytes } from '../scan-limits.ts'
import { TRUE } from './comparison.ts'
import { limitEntries } from './large-documents.ts'
import { buildPrefixTables, fromLastPrefix, whereWalked } from './prefix-ranges.ts'
import type { ScanPage } from './scan-page.ts'
import type { RowRange } from './scans.ts'
import {
  buildMatchColumn,
  buildMatchCondition,
  estimateScanCost,
  fromRange,
  RID,
  whereInRows,
  whereProcedure,
} from './scans.ts'
import { type SortExpressions, whereWanted } from './sort-expressions.ts'

const comma = sql`, `

/**
 * Builds the table of the first matches of a range scan. The entry that ends the range comes before them, if it was reached,
 * whether it matches or not; so there is room for one more. An empty range is complete. The ranges of prefixes are tables before it.
 */
export function buildRangeTable(plan: QueryPlan, rangeScan: RangeScan, rows: RowRange, page: ScanPage): SQL {
  const entriesMax = selectRangeEntries(plan, rangeScan, page)
  if (rangeScan.column.slot !== undefined) return buildElementsTable(plan, rangeScan, rows, { ...page, ...entriesMax })
  const entries = fromRange(rangeScan, plan.procedure)
  const { column, bounds } = rangeScan
  const owner = whereProcedure(plan.procedure)
  const { walkedPrefixesMax } = page.limits
  const last = arePrefixes(bounds) ? fromLastPrefix(column, owner) : entries
  const backwards = sql`${column.column} DESC, ${process.rid} DESC`
  const end = sql`(SELECT ${process.rid} ${last} ORDER BY ${backwards} LIMIT 1)`
  const terms = whereInRows(rows)
  const range = {
    entries,
    end,
    entriesMax: entriesMax.within(entries),
    rowsMax: sql`${page.skip + page.limit} + 1`,
    isWhole: arePrefixes(bounds) ? whereWalked(walkedPrefixesMax) : TRUE,
  }
  const isFiltered = terms.length > 0 || rangeScan.remaining.length > 0
  const matching = isFiltered ? buildMatchCondition(rangeScan, plan, terms) : null
  const columns =
    page.sort === null ? selectNewestInRange(range, matching) : buildSortedRange(range, matching, page.sort)
  const table = sql`range_scan AS (SELECT ${columns})`
  return arePrefixes(bounds)
    ? sql`${buildPrefixTables(column, bounds, owner, walkedPrefixesMax)},
${table}`
    : table
}

interface RangeRead {
  entries: SQL
  end: SQL
  entriesMax: SQL
  rowsMax: SQL
  /** Whether the entries are all of the range, apart from their number. */
  isWhole: SQL
}

/** The bit that marks the entry at the end of the range. It is above every row number. */
const END_BIT = sql`(1 << 60)`

/**
 * Selects matches newest first. Entries are sorted as single numbers, the last one marked by a bit; and by GROUP BY, which
 * D1 counts once, unlike ORDER BY with a LIMIT, and which takes half as long as one with `LIMIT -1`.
 */
function selectNewestInRange({ entries, end, entriesMax, rowsMax, isWhole }: RangeRead, matching: SQL | null): SQL {
  const key = sql`iif(${process.rid} = ${end}, ${process.rid} | ${END_BIT}, ${process.rid}) AS key`
  const read = sql`SELECT ${matching === null ? key : sql.join([key, matching], comma)} ${entries} LIMIT ${entriesMax}`
  const [isEnd, rid] = [sql`key >= ${END_BIT}`, sql`key & (${END_BIT} - 1)`]
  const filtered = matching === null ? sql`(${read})` : sql`(${read}) WHERE is_match OR ${isEnd}`
  const newest = sql`SELECT * FROM ${filtered} GROUP BY key ORDER BY key DESC LIMIT ${rowsMax}`
  const matches =
    matching === null ? sql`json_group_array(${rid})` : sql`json_group_array(${rid}) FILTER (WHERE is_match)`
  return sql`${whereComplete(isWhole, isEnd, end)} AS is_complete, ${matches} AS matches FROM (${newest})`
}

function buildSortedRange(
  { entries, end, entriesMax, rowsMax, isWhole }: RangeRead,
  matching: SQL | null,
  sort: SortExpressions,
): SQL {
  const isEnd = sql`${process.rid} = ${end} AS is_end`
  const columns = sql.join([RID, matching ?? buildMatchColumn([]), isEnd, ...sort.columns], comma)
  return sql`${whereComplete(isWhole, sql`is_end`, end)} AS is_complete, json_group_array(rid) FILTER (WHERE ${whereWanted(sort)}) AS matches FROM (SELECT * FROM (
SELECT * FROM (SELECT ${columns} ${entries} LIMIT ${entriesMax})
WHERE ${whereWanted(sort)} OR is_end ORDER BY is_end DESC, ${sort.order} LIMIT -1) LIMIT ${rowsMax})`
}

const whereComplete = (isWhole: SQL, isEnd: SQL, end: SQL): SQL => {
  const isRead = sql`coalesce(max(${isEnd}), ${end} IS NULL)`
  return isWhole === TRUE ? isRead : sql`${isWhole} AND ${isRead}`
}

/** The number of entries of a range that are read, and a function that limits them by the bytes of their documents. */
export interface RangeEntriesMax {
  most: number
  within: (entries: SQL) => SQL
}

function selectRangeEntries(
  plan: QueryPlan,
  { remaining }: RangeScan,
  { sort, skip, limit, limits }: ScanPage,
): RangeEntriesMax {
  const cost = estimateScanCost(remaining, plan, sort)
  const isBesideIndex = plan.indexScans.some(({ keys }) => keys.length > 0)
  const entries = isBesideIndex
    ? limits.rangeEntriesBesideIndexMax
    : Math.min(limits.rangeEntriesMax, Math.ceil(limits.rangeEntriesPerRootOfRows * Math.sqrt(skip + limit)))
  const most = countCandidates(cost, { candidates: entries })
  const bytesMax = countDocumentBytes(cost, limits)
  // Entries are in the order of the index, not of the rows.
  const everywhere = { from: null, before: null }
  const within = (from: SQL): SQL =>
    limitEntries(plan.procedure, everywhere, { most, bytesMax }, sql`SELECT ${BYTES} ${from} LIMIT ${most}`)
  return { most, within }
}
