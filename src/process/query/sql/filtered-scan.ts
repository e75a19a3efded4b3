import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../../db/statement.ts'
import { statement } from '../../../db/statement.ts'
import { BYTES } from '../../document-bytes.ts'
import { process } from '../../table.ts'
import { guardPlan } from '../element/planned-limit.ts'
import type { IndexScan, QueryPlan, RangeScan } from '../plan/plan.ts'
import { countCandidates, countDocumentBytes, type ScanLimits } from '../scan-limits.ts'
import { limitEntries } from './large-documents.ts'
import { buildRangeTable } from './range-table.ts'
import type { ScanPage, ScanRow } from './scan-page.ts'
import type { RowRange, ScanEntries } from './scans.ts'
import {
  and,
  buildMatchCondition,
  estimateScanCost,
  RID,
  selectNewestProcesses,
  selectNewestRowNumbers,
  selectScanEntries,
  whereOwner,
} from './scans.ts'
import { SELECTED_ROWS } from './selected-row.ts'
import { whereWanted } from './sort-expressions.ts'

interface FilteredScan {
  plan: QueryPlan
  indexScans: IndexScan[]
  rangeScan: RangeScan | null
  rows: RowRange
  page: ScanPage
}

/** The value of `index_scan` if the range scan is complete, so that no index scan is needed. */
const RANGE_SCAN = sql`-1`
const comma = sql`, `
/**
 * Ends a table of one row. SQLite does not merge a subquery with OFFSET into the statement that reads it, which would compute
 * its columns at each mention. MATERIALIZED would prevent that as well, but takes 140 µs.
 */
const ONE_ROW = sql`LIMIT 1 OFFSET 0`
/** A number that is part of the text of the statement, not a bound value. */
const literal = (number: number): SQL => sql.raw(String(number))

/**
 * Filters candidates, up to a bounded number of them. The statement itself chooses the index that they come from:
 *
 * - `range_scan`: the matches of the range scan, and whether that is complete: whether the last entry of the range is
 *   among those that it read
 * - `chosen`: the range scan if it is complete, else the most selective index scan
 * - `found`: the matches of the chosen scan. Each table is one row, with row numbers as a JSON list, and is mentioned
 *   once: SQLite makes each mention into a plan anew
 *
 * Each row of the result, of which there is always one, has the number of matches, the chosen scan, and the boundary:
 * the row number down to which candidates were filtered.
 */
export function buildFilteredScan({ plan, indexScans, rangeScan, rows, page }: FilteredScan): Statement<ScanRow> {
  const { sort } = page
  const wanted = page.skip + page.limit
  const costs = indexScans.map(({ remaining }) => estimateScanCost(remaining, plan, sort))
  const bytesMaxes = costs.map(cost => countDocumentBytes(cost, page.limits))
  const candidates = countCandidates({ row: Math.max(...costs.map(({ row }) => row)) }, page.limits)

  const entries = indexScans.map((each, nth) => {
    const read = selectScanEntries(each, plan, rows)
    const most = sql`${candidates}`
    const within = { most: candidates, bytesMax: bytesMaxes[nth] ?? null }
    const limit = limitEntries(plan.procedure, rows, within, selectNewestProcesses(read, [BYTES], most))
    return { ...read, limit, isMatch: buildMatchCondition(each, plan, whereOwner(read.areElements, plan)) }
  })
  const mostSelective = selectMostSelective(entries, page.limits)
  const matches = entries.map((each, nth) => {
    const source = selectNewestProcesses(each, [each.isMatch, ...(sort?.columns ?? [])], each.limit)
    const matching = orderMatches(sql`SELECT rid FROM (${source}) WHERE ${whereWanted(sort)}`, sort)
    return sql`WHEN ${literal(nth)} THEN (SELECT json_group_array(rid) FROM (${matching} LIMIT ${wanted}))`
  })
  if (rangeScan !== null) matches.unshift(sql`WHEN ${RANGE_SCAN} THEN matches`)
  const tables = [
    ...(rangeScan === null ? [] : [buildRangeTable(plan, rangeScan, rows, page)]),
    buildChosenTable(mostSelective, rangeScan),
    sql`found AS (SELECT index_scan, CASE index_scan ${sql.join(matches, sql` `)} END AS matches FROM chosen ${ONE_ROW})`,
  ]
  const ends = entries.map(
    (each, nth) => sql`WHEN ${literal(nth)} THEN (${selectNewestRowNumbers(each, sql`1 OFFSET ${each.limit} - 1`)})`,
  )
  const boundary = sql`CASE index_scan ${sql.join(ends, sql` `)} END`
  const found = sql`json_array_length(matches)`
  const summary = sql`${found} AS found, index_scan, ${
    sort === null ? sql`CASE WHEN ${found} < ${wanted} THEN ${boundary} END` : boundary
  } AS boundary`
  return statement(sql`WITH ${sql.join(tables, sql`,\n`)}
SELECT ${sql.join([RID, SELECTED_ROWS[page.selected], ...(sort?.columns ?? []), summary], comma)}
FROM found LEFT JOIN json_each(${selectRowNumbers(page)}) AS page LEFT JOIN ${process} ON ${process.rid} = page.value
LIMIT ${guardPlan({ ...plan, indexScans, rangeScan }, sql`-1`)}`)
}

const buildChosenTable = (mostSelective: SQL, rangeScan: RangeScan | null): SQL =>
  rangeScan === null
    ? sql`chosen AS (SELECT ${mostSelective} AS index_scan ${ONE_ROW})`
    : sql`chosen AS (SELECT CASE WHEN is_complete THEN ${RANGE_SCAN} ELSE ${mostSelective} END AS index_scan, matches FROM range_scan ${ONE_ROW})`

/** Sorts the matches without a LIMIT of its own, which reads each match once; D1 counts a sorter with LIMIT twice. */
const orderMatches = (matches: SQL, sort: ScanPage['sort']): SQL =>
  sort === null ? matches : sql`SELECT * FROM (${matches} ORDER BY ${sort.order} LIMIT -1)`

/** Selects the matches of the page as a JSON list. If none are skipped, the caller sorts and cuts. */
const selectRowNumbers = ({ sort, limit, skip }: ScanPage): SQL =>
  sort === null && skip > 0
    ? sql`(SELECT json_group_array(value) FROM (SELECT value FROM json_each(matches) ORDER BY value DESC LIMIT ${limit} OFFSET ${skip}))`
    : sql`matches`

/** An expression for LIMIT that selects one entry. */
const limitToEntry = (nth: number): SQL => sql`1 OFFSET ${nth - 1}`

/** Selects the index scan that has the oldest entry at a certain position, or that has fewer entries than that. */
function selectMostSelective(scans: ScanEntries[], { probePosition }: ScanLimits): SQL {
  if (scans.length < 2) return sql`0`
  const names = scans.map((_, nth) => sql.identifier(`probe${nth}`))
  const cases = names.map((name, nth) => {
    const isLeast = and(names.map(other => sql`${name} <= ${other}`))
    return sql`WHEN ${isLeast} THEN ${literal(nth)}`
  })
  const entry = limitToEntry(probePosition)
  const probes = scans.map((each, nth) => sql`coalesce((${selectNewestRowNumbers(each, entry)}), 0) AS ${names[nth]}`)
  return sql`(SELECT CASE ${sql.join(cases, sql` `)} END FROM (SELECT ${sql.join(probes, comma)} LIMIT 1))`
}
