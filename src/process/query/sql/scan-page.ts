import type { PlainText, Result } from '../../../db/text-statement.ts'
import { textStatement } from '../../../db/text-statement.ts'
import type { IndexScan, QueryPlan } from '../plan/plan.ts'
import { type ScanLimits, SQL_LENGTH_MAX } from '../scan-limits.ts'
import type { Parameters } from './parameters.ts'
import { parameters } from './parameters.ts'
import type { RowRange, SortColumn } from './scans.ts'
import { asMatch, scansOf } from './scans.ts'
import { documentLookups } from './where.ts'

/** A result in another order than newest first: expressions to order by, and the condition to lie after a cursor. */
export interface SortExpressions {
  names: string[]
  sortColumns(params: Parameters): SortColumn[]
  order: string
  after(params: Parameters): string
}

export interface ScanPage {
  /** The newest row number still in question is below this one. */
  before: number | null
  /** How many of the matches found here are passed over, and how many are wanted after those. */
  skip: number
  limit: number
  /** What is selected of each match. */
  row: string
  /** The stream that an earlier step settled on. */
  indexScan: number | null
  sortBy: SortExpressions | null
  limits: ScanLimits
}

export interface ScanResult {
  rows: Record<string, unknown>[]
  /** How many matches the step found, those passed over included. */
  found: number
  indexScan: number | null
  /** Everything from this row number on has been examined; null when that is all there is. */
  boundary: number | null
}

export function scanStatement(plan: QueryPlan, step: ScanPage): PlainText {
  const before = plan.before === null || (step.before !== null && step.before < plan.before) ? step.before : plan.before
  const window: RowRange = { from: plan.from, before }
  if (plan.lookup !== null) return lookupPage(plan, window, step)
  const chosen = step.indexScan === null ? undefined : plan.indexScans[step.indexScan]
  const indexScans = chosen === undefined ? plan.indexScans : [chosen]
  const [only] = indexScans
  const rangeScan = step.indexScan === null ? plan.rangeScan : null
  if (
    only !== undefined &&
    indexScans.length === 1 &&
    rangeScan === null &&
    only.remaining.length === 0 &&
    step.sortBy === null
  ) {
    return singleIndexPage(plan, only, window, step)
  }
  if (
    rangeScan !== null &&
    rangeScan.remaining.length === 0 &&
    step.sortBy === null &&
    only?.keys.length === 0 &&
    Array.isArray(rangeScan.bounds)
  ) {
    // Of each value's entries no more are read than the page has room for.
    if (rangeScan.bounds.length * (step.skip + step.limit) <= 2 * step.limits.candidates) {
      return lookupPage(
        { ...plan, lookup: { column: rangeScan.column, values: rangeScan.bounds, remaining: [] } },
        window,
        step,
      )
    }
  }
  const tried = filteredScan(plan, indexScans, rangeScan !== null, window, step)
  return tried.sql.length <= SQL_LENGTH_MAX ? tried : filteredScan(plan, indexScans.slice(0, 1), false, window, step)
}

const pageOf = (inner: string, { row, limit, skip }: ScanPage, params: Parameters): string =>
  `SELECT page.k AS k, ${row} AS row FROM (SELECT k FROM (${inner}) ORDER BY k DESC LIMIT ${params.value(limit)} OFFSET ${params.value(skip)}) AS page
  CROSS JOIN process ON process.rid = page.k`

/** Every candidate is a match: as many index entries are read as there are rows in the answer. */
function singleIndexPage(plan: QueryPlan, indexScan: IndexScan, window: RowRange, step: ScanPage): PlainText {
  const params = parameters()
  const scans = scansOf(plan, params)
  const paging = `${params.value(step.limit)} OFFSET ${params.value(step.skip)}`
  const sql =
    indexScan.keys.length > 1
      ? `SELECT page.k AS k, ${step.row} AS row FROM (${scans.keysOnly(indexScan, window, paging)}) AS page CROSS JOIN process ON process.rid = page.k`
      : scans.whole(indexScan, window, paging, step.row)
  return textStatement(sql, params.json())
}

function lookupPage(plan: QueryPlan, window: RowRange, step: ScanPage): PlainText {
  const params = parameters()
  const scans = scansOf(plan, params)
  const lookup = plan.lookup ?? { column: null, values: [], remaining: [] }
  const found = lookup.column === null ? 'process NOT INDEXED' : `process INDEXED BY ${lookup.column.index}`
  const where = [
    lookup.column === null
      ? `process.rid IN ${params.list(lookup.values)}`
      : `${lookup.column.name} IN ${params.list(lookup.values)}`,
    scans.proc,
    ...scans.within(window),
  ].join(' AND ')
  const { sortBy } = step
  if (sortBy === null) {
    const sql = `SELECT process.rid AS k, ${step.row} AS row FROM ${found} WHERE ${where} AND ${scans.remaining(lookup.remaining)}
  ORDER BY process.rid DESC LIMIT ${params.value(step.limit)} OFFSET ${params.value(step.skip)}`
    return textStatement(sql, params.json())
  }
  const sortColumns = sortBy
    .sortColumns(params)
    .map(({ name, sql }) => `${sql} AS ${name}`)
    .join(', ')
  const matches = `SELECT process.rid AS k, ${sortColumns} FROM ${found} WHERE ${where} AND ${scans.remaining(lookup.remaining)}`
  const sql = `SELECT page.*, ${step.row} AS row FROM (SELECT * FROM (${matches}) WHERE ${sortBy.after(params)} ORDER BY ${sortBy.order}
  LIMIT ${params.value(step.limit)}) AS page CROSS JOIN process ON process.rid = page.k`
  return textStatement(sql, params.json())
}

/** Candidates are examined one by one, up to a bound. Which index they come from is settled inside the statement. */
function filteredScan(
  plan: QueryPlan,
  indexScans: IndexScan[],
  withRangeScan: boolean,
  window: RowRange,
  step: ScanPage,
): PlainText {
  const params = parameters()
  const scans = scansOf(plan, params)
  const { sortBy } = step
  const sortColumns = sortBy?.sortColumns(params) ?? []
  const carried = ['k', ...sortColumns.map(({ name }) => name)].join(', ')
  const order = sortBy?.order ?? 'k DESC'
  const behind = sortBy?.after(params) ?? '1'
  const want = params.value(step.skip + step.limit)
  const candidates = scanSize(plan, indexScans, step.limits)
  const size = params.value(candidates)
  const tables: string[] = []

  let chosen =
    indexScans.length > 1
      ? mostSelective(indexScans.map(each => scans.keysOnly(each, window, oneAt(step.limits.probe, params))))
      : '0'
  const sources: string[] = []
  if (withRangeScan && plan.rangeScan !== null) {
    const { rangeScan } = plan
    const entries = scans.gathered(rangeScan)
    const hit = asMatch([...scans.within(window), scans.remaining(rangeScan.remaining)])
    const selected = sortColumns.map(({ name, sql }) => `, ${sql} AS ${name}`).join('')
    const backwards = `${rangeScan.column.name} DESC, process.rid DESC`
    // The index entry that ends the part tells, by being there, that the part was read whole.
    tables.push(
      `ending AS MATERIALIZED (SELECT (SELECT process.rid ${entries} ORDER BY ${backwards} LIMIT 1) AS k)`,
      `gathered AS MATERIALIZED (SELECT * FROM (
    SELECT * FROM (SELECT process.rid AS k, ${hit} AS hit, process.rid = (SELECT k FROM ending) AS done${selected} ${entries} LIMIT ${params.value(rangeScanSize(plan, step))})
    WHERE (hit AND ${behind}) OR done ORDER BY done DESC, ${order} LIMIT -1) LIMIT ${want} + 1)`,
    )
    chosen = `CASE WHEN (SELECT k IS NULL FROM ending) OR EXISTS (SELECT 1 FROM gathered WHERE done) THEN -1 ELSE ${chosen} END`
    sources.push(`SELECT ${carried}, hit FROM gathered WHERE (SELECT indexScan FROM chosen) = -1`)
  }
  for (const [index, each] of indexScans.entries()) {
    const guarded = chosen === '0' ? size : `iif((SELECT indexScan FROM chosen) = ${index}, ${size}, 0)`
    sources.push(`SELECT ${carried}, hit FROM (${scans.candidates(each, window, guarded, sortColumns)})`)
  }
  tables.push(`chosen AS MATERIALIZED (SELECT ${chosen} AS indexScan)`)
  const matching = `SELECT ${carried} FROM (${sources.join(' UNION ALL ')}) WHERE hit`
  // Sorting without a LIMIT of its own reads each match once; D1 counts a sorter with LIMIT twice.
  const best =
    sortBy === null ? matching : `SELECT * FROM (${matching} AND ${behind} ORDER BY ${sortBy.order} LIMIT -1)`
  tables.push(`hits AS MATERIALIZED (${best} LIMIT ${want})`)

  const boundaries = indexScans.map(
    (each, index) => `WHEN ${index} THEN (${scans.keysOnly(each, window, oneAt(candidates, params))})`,
  )
  const boundary = `CASE (SELECT indexScan FROM chosen) ${boundaries.join(' ')} END`
  const nothing = sortColumns.map(() => ', NULL').join('')
  const named = sortColumns.map(({ name }) => `, hits.${name}`).join('')
  const found =
    sortBy === null
      ? `SELECT page.*, NULL AS found, NULL AS indexScan, NULL AS boundary FROM (${pageOf('SELECT k FROM hits', step, params)}) AS page`
      : `SELECT hits.k AS k, ${step.row} AS row${named}, NULL AS found, NULL AS indexScan, NULL AS boundary FROM hits CROSS JOIN process ON process.rid = hits.k`
  const sql = `WITH ${tables.join(',\n')}
${found}
UNION ALL SELECT NULL, NULL${nothing}, count(*), (SELECT indexScan FROM chosen), ${sortBy === null ? `CASE WHEN count(*) < ${want} THEN ${boundary} END` : boundary} FROM hits`
  return textStatement(sql, params.json())
}

const oneAt = (entry: number, params: Parameters): string => `1 OFFSET ${params.value(entry - 1)}`

/** The stream whose entry of a certain number lies furthest back, or that has no such entry. */
function mostSelective(probes: string[]): string {
  const names = probes.map((_, index) => `p${index}`)
  const cases = names.map(
    (name, index) => `WHEN ${names.map(other => `${name} <= ${other}`).join(' AND ')} THEN ${index}`,
  )
  const probed = probes.map((probe, index) => `coalesce((${probe}), 0) AS p${index}`)
  return `(SELECT CASE ${cases.join(' ')} END FROM (SELECT ${probed.join(', ')} LIMIT 1))`
}

function scanSize({ procedure }: QueryPlan, indexScans: IndexScan[], limits: ScanLimits): number {
  const lookups = Math.max(
    1,
    ...indexScans.map(({ remaining }) => remaining.reduce((sum, part) => sum + documentLookups(part, procedure), 0)),
  )
  return Math.max(limits.candidatesMin, Math.floor(limits.candidates / lookups))
}

function rangeScanSize({ indexScans }: QueryPlan, { skip, limit, limits }: ScanPage): number {
  if (indexScans.some(({ keys }) => keys.length > 0)) return limits.rangeEntriesBesideIndexMax
  return Math.min(limits.rangeEntriesMax, Math.ceil(limits.rangeEntriesPerRootOfRows * Math.sqrt(skip + limit)))
}

export function readScan({ rows }: Result): ScanResult {
  const summary = rows.find(row => row.found !== undefined && row.found !== null)
  const matches = rows.filter(row => row.k !== null).sort((one, other) => Number(other.k) - Number(one.k))
  if (summary === undefined) return { rows: matches, found: matches.length, indexScan: null, boundary: null }
  const { found, indexScan, boundary } = summary
  return {
    rows: matches,
    found: Number(found),
    indexScan: typeof indexScan === 'number' && indexScan >= 0 ? indexScan : null,
    boundary: boundary === null ? null : Number(boundary),
  }
}
