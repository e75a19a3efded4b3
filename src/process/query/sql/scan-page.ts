import type { Statement } from '../../../db/statement.ts'
import { buildElementPage, isByElement, isForLarge } from '../element/element-page.ts'
import type { QueryPlan } from '../plan/plan.ts'
import type { ScanLimits } from '../scan-limits.ts'
import { SQL_LENGTH_MAX } from '../scan-limits.ts'
import { buildFilteredScan } from './filtered-scan.ts'
import { buildLookupPage } from './lookup-page.ts'
import { buildRangePage } from './range-page.ts'
import type { RowRange } from './scans.ts'
import { buildSearchPage } from './search-page.ts'
import type { SelectedRow } from './selected-row.ts'
import { buildSingleIndexPage } from './single-index-page.ts'
import type { SortExpressions, SortName } from './sort-expressions.ts'

/** The page that one statement of a list returns. */
export interface ScanPage {
  /** Row numbers from here on were returned or filtered by earlier statements. */
  before: number | null
  /** The matches to pass over, and those to return after them. */
  skip: number
  limit: number
  selected: SelectedRow
  /** The index scan that an earlier statement of the same list chose. */
  indexScan: number | null
  /** Null for newest first. */
  sort: SortExpressions | null
  limits: ScanLimits
}

/** A row of the statement: a match, and figures of the whole page. A row without a row number has no match. */
export interface ScanRow extends Partial<Record<SortName, string | number | null>> {
  rid: number | null
  row: string | null
  found?: number | null
  index_scan?: number | null
  boundary?: number | null
  /** The number of matches that the statement returns at most, if it is smaller than requested. */
  cut?: number | null
}

interface ScannedMatch extends ScanRow {
  rid: number
}

export interface ScanResult {
  /** The matches, newest first. */
  matches: ScannedMatch[]
  /** The number of matches, including those passed over. */
  found: number
  indexScan: number | null
  /** Candidates from this row number on have been filtered; null if there are no more below. */
  boundary: number | null
}

/** Builds the statement of a page, by the first way of those below that the plan allows. */
export function buildScan(plan: QueryPlan, page: ScanPage): Statement<ScanRow> {
  const before = plan.before === null || (page.before !== null && page.before < plan.before) ? page.before : plan.before
  const rows: RowRange = { from: plan.from, before }
  if (plan.lookup !== null) return buildLookupPage(plan, plan.lookup, rows, page)
  if (plan.search !== null) return buildSearchPage(plan, plan.search, rows, page)
  const chosenBefore = page.indexScan === null ? undefined : plan.indexScans[page.indexScan]
  const indexScans = chosenBefore === undefined ? plan.indexScans : [chosenBefore]
  const rangeScan = page.indexScan === null ? plan.rangeScan : null
  const [only, ...others] = indexScans
  if (only !== undefined && others.length === 0 && page.sort === null) {
    if (rangeScan === null && isByElement(plan, only) && (page.skip === 0 || isForLarge(page)))
      return buildElementPage(plan, only, rows, page)
    if (rangeScan === null && only.remaining.length === 0) return buildSingleIndexPage(plan, only, rows, page)
    if (rangeScan !== null && rangeScan.remaining.length === 0 && only.keys.length === 0) {
      const { column, bounds } = rangeScan
      // Each value reads no more entries than the page has room for.
      if (Array.isArray(bounds) && bounds.length * (page.skip + page.limit) <= 2 * page.limits.candidates)
        return buildLookupPage(plan, { column, values: bounds, remaining: [] }, rows, page)
      const simple = buildRangePage(plan, rows, page)
      if (simple !== null) return simple
    }
  }
  const whole = buildFilteredScan({ plan, indexScans, rangeScan, rows, page })
  if (whole.compile().text.length <= SQL_LENGTH_MAX) return whole
  return buildFilteredScan({ plan, indexScans: indexScans.slice(0, 1), rangeScan: null, rows, page })
}

const isScannedMatch = (row: ScanRow): row is ScannedMatch => row.rid !== null

export function readScan(rows: ScanRow[], { sort, limit }: ScanPage): ScanResult {
  const read = rows.filter(isScannedMatch).sort((one, other) => other.rid - one.rid)
  // A range scan may return one match more than requested. A sorted page is cut in its own order.
  const matches = sort === null ? read.slice(0, limit) : read
  const { found, index_scan: indexScan, boundary, cut } = rows[0] ?? {}
  const isCut = cut === read.length
  return {
    matches,
    found: found ?? matches.length,
    indexScan: typeof indexScan === 'number' && indexScan >= 0 ? indexScan : null,
    boundary: boundary ?? (isCut ? (matches.at(-1)?.rid ?? null) : null),
  }
}
