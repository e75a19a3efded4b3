import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../../db/statement.ts'
import { statement } from '../../../db/statement.ts'
import { process } from '../../table.ts'
import type { IndexScan, QueryPlan, RangeScan } from '../plan/plan.ts'
import type { ScanLimits } from '../scan-limits.ts'
import type { ScanPage, ScanRow } from './scan-page.ts'
import type { RowRange, ScanEntries } from './scans.ts'
import { and, entriesOf, fromRange, isMatchOf, newestProcesses, newestRowNumbers, RID, rowsWithin } from './scans.ts'
import { SELECTED_ROWS } from './selected-row.ts'
import { documentLookups, TRUE } from './where.ts'

export interface FilteredScan {
  plan: QueryPlan
  indexScans: IndexScan[]
  rangeScan: RangeScan | null
  rows: RowRange
  page: ScanPage
}

/** The value of `chosen` if the range scan is complete: no index scan is needed. */
const RANGE_SCAN = sql`-1`
const comma = sql`, `
/** Numbers that are part of the text, as opposed to values. */
const literal = (number: number): SQL => sql.raw(String(number))

/**
 * Filters candidates, up to a bounded number of them. The statement itself chooses the index that they come from:
 *
 * - `range_end`, `range_matches`: the range scan, up to its limit; it is complete if the last entry of the range is in it
 * - `chosen`: the range scan if it is complete, else the most selective index scan
 * - `matches`: the candidates of the chosen scan that match
 *
 * The last row of the result has the number of matches, the chosen scan, and the boundary: the row number down to which
 * candidates were filtered.
 */
export function filteredScan(scan: FilteredScan): Statement<ScanRow> {
  const { plan, indexScans, rangeScan, rows, page } = scan
  const { sort } = page
  const [columns, isAfter] = [sort?.columns ?? [], sort?.isAfter ?? TRUE]
  const carried = sql.join([sql`rid`, ...(sort?.names ?? []).map(name => sql.identifier(name))], comma)
  const wanted = page.skip + page.limit
  const candidates = candidatesOf(plan, indexScans, page.limits)

  const entries = indexScans.map(each => ({ ...entriesOf(each, plan, rows), isMatch: isMatchOf(each, plan) }))
  const mostSelective = mostSelectiveOf(entries, page.limits)
  const chosen = rangeScan === null ? mostSelective : unlessRangeIsComplete(mostSelective)
  const isOnlyScan = rangeScan === null && indexScans.length === 1
  const sources = entries.map((each, nth) => {
    const limit = isOnlyScan
      ? sql`${candidates}`
      : sql`iif((SELECT index_scan FROM chosen) = ${literal(nth)}, ${candidates}, 0)`
    return sql`SELECT ${carried}, is_match FROM (${newestProcesses(each, [each.isMatch, ...columns], limit)})`
  })
  if (rangeScan !== null)
    sources.unshift(
      sql`SELECT ${carried}, is_match FROM range_matches WHERE (SELECT index_scan FROM chosen) = ${RANGE_SCAN}`,
    )
  const matching = sql`SELECT ${carried} FROM (${sql.join(sources, sql` UNION ALL `)}) WHERE is_match`
  // Sorting without a LIMIT of its own reads each match once; D1 counts a sorter with LIMIT twice.
  const best =
    sort === null ? matching : sql`SELECT * FROM (${matching} AND ${isAfter} ORDER BY ${sort.order} LIMIT -1)`
  const tables = [
    ...(rangeScan === null ? [] : rangeTables(scan, rangeScan, columns, isAfter)),
    sql`chosen AS MATERIALIZED (SELECT ${chosen} AS index_scan)`,
    sql`matches AS MATERIALIZED (${best} LIMIT ${wanted})`,
  ]
  const lastEntry = entryAt(candidates)
  const ends = entries.map((each, nth) => sql`WHEN ${literal(nth)} THEN (${newestRowNumbers(each, lastEntry)})`)
  const boundary = sql`CASE index_scan ${sql.join(ends, sql` `)} END`
  const noColumns = sql.join([sql`NULL, NULL`, ...columns.map(() => sql`NULL`)], comma)
  // Each mention of a table is made into a plan anew: with its own, the summary would mention `chosen` twice.
  return statement(sql`WITH ${sql.join(tables, sql`,\n`)}
${found(page)}
UNION ALL SELECT ${noColumns}, found, index_scan, ${
    sort === null ? sql`CASE WHEN found < ${wanted} THEN ${boundary} END` : boundary
  } FROM (SELECT count(*) AS found FROM matches) CROSS JOIN chosen`)
}

function found({ sort, selected, limit, skip }: ScanPage): SQL {
  const row = SELECTED_ROWS[selected]
  const summary = sql`NULL AS found, NULL AS index_scan, NULL AS boundary`
  if (sort !== null) {
    const sorted = sort.names.map(name => sql`matches.${sql.identifier(name)}`)
    return sql`SELECT ${sql.join([sql`matches.rid AS rid`, row, ...sorted, summary], comma)} FROM matches CROSS JOIN ${process} ON ${process.rid} = matches.rid`
  }
  const page = sql`SELECT rid FROM matches ORDER BY rid DESC LIMIT ${limit} OFFSET ${skip}`
  return sql`SELECT page.rid AS rid, ${row}, ${summary} FROM (${page}) AS page CROSS JOIN ${process} ON ${process.rid} = page.rid`
}

/** The matches of a range scan, in the order of the list, and the entry that ends the range, if it was reached. */
function rangeTables({ plan, rows, page }: FilteredScan, rangeScan: RangeScan, columns: SQL[], isAfter: SQL): SQL[] {
  const { sort, skip, limit } = page
  const entries = fromRange(rangeScan, plan.procedure)
  const backwards = sql`${rangeScan.column.column} DESC, ${process.rid} DESC`
  const selected = sql.join(
    [
      RID,
      isMatchOf(rangeScan, plan, rowsWithin(rows)),
      sql`${process.rid} = (SELECT rid FROM range_end) AS is_end`,
      ...columns,
    ],
    comma,
  )
  return [
    sql`range_end AS MATERIALIZED (SELECT (SELECT ${process.rid} ${entries} ORDER BY ${backwards} LIMIT 1) AS rid)`,
    sql`range_matches AS MATERIALIZED (SELECT * FROM (
SELECT * FROM (SELECT ${selected} ${entries} LIMIT ${rangeEntriesOf(plan, page)})
WHERE (is_match AND ${isAfter}) OR is_end ORDER BY is_end DESC, ${sort?.order ?? sql`rid DESC`} LIMIT -1) LIMIT ${skip + limit} + 1)`,
  ]
}

const unlessRangeIsComplete = (otherwise: SQL): SQL =>
  sql`CASE WHEN (SELECT rid IS NULL FROM range_end) OR EXISTS (SELECT 1 FROM range_matches WHERE is_end) THEN ${RANGE_SCAN} ELSE ${otherwise} END`

/** What follows LIMIT to select one entry. */
const entryAt = (nth: number): SQL => sql`1 OFFSET ${nth - 1}`

/** The index scan whose entry at a certain position is the oldest, or that has fewer entries. */
function mostSelectiveOf(scans: ScanEntries[], { probePosition }: ScanLimits): SQL {
  if (scans.length < 2) return sql`0`
  const names = scans.map((_, nth) => sql.identifier(`probe${nth}`))
  const cases = names.map((name, nth) => {
    const isLeast = and(names.map(other => sql`${name} <= ${other}`))
    return sql`WHEN ${isLeast} THEN ${literal(nth)}`
  })
  const entry = entryAt(probePosition)
  const probes = scans.map((each, nth) => sql`coalesce((${newestRowNumbers(each, entry)}), 0) AS ${names[nth]}`)
  return sql`(SELECT CASE ${sql.join(cases, sql` `)} END FROM (SELECT ${sql.join(probes, comma)} LIMIT 1))`
}

/** The more attributes a filter looks up in each document, the fewer candidates one statement takes. */
function candidatesOf({ procedure }: QueryPlan, indexScans: IndexScan[], limits: ScanLimits): number {
  const lookups = indexScans.map(({ remaining }) =>
    remaining.reduce((sum, part) => sum + documentLookups(part, procedure), 0),
  )
  return Math.max(limits.candidatesMin, Math.floor(limits.candidates / Math.max(1, ...lookups)))
}

function rangeEntriesOf({ indexScans }: QueryPlan, { skip, limit, limits }: ScanPage): number {
  if (indexScans.some(({ keys }) => keys.length > 0)) return limits.rangeEntriesBesideIndexMax
  return Math.min(limits.rangeEntriesMax, Math.ceil(limits.rangeEntriesPerRootOfRows * Math.sqrt(skip + limit)))
}
