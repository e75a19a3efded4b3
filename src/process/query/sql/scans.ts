import { type SQL, sql } from 'drizzle-orm'
import type { Procedure } from '../../../procedure/model.ts'
import { process } from '../../table.ts'
import type { RangeBounds } from '../plan/bounds.ts'
import type { QueryColumn } from '../plan/columns.ts'
import { ROW_NUMBER } from '../plan/columns.ts'
import { type IndexScan, isElement, type QueryPlan, type RangeScan } from '../plan/plan.ts'
import { arePrefixes } from '../plan/prefixes.ts'
import type { Condition } from '../read/condition.ts'
import { compare, joinTerms, toComparable, toComparables } from './comparison.ts'
import { fromPrefixes } from './prefix-ranges.ts'
import type { SortExpressions } from './sort-expressions.ts'
import { addLookups, buildWhereAll, estimateRowCost, type RowCost } from './where.ts'

/** The row numbers from one on, below another one. */
export interface RowRange {
  from: number | null
  before: number | null
}

export const and = (terms: SQL[]): SQL => sql.join(terms, sql` AND `)

export const whereProcedure = ({ no }: Procedure): SQL => sql`${process.proc} = ${no}`

export const whereInRows = ({ from, before }: RowRange): SQL[] => [
  ...(from === null ? [] : [sql`${process.rid} >= ${from}`]),
  ...(before === null ? [] : [sql`${process.rid} < ${before}`]),
]

export const RID = sql`${process.rid} AS rid`

/** The entries of an index scan within some rows. Each key is the text after SELECT, in the order of the row number. */
export interface ScanEntries {
  keys: SQL[]
  overlapping: boolean
  /** Whether some entries are rows of another table. Then processes are read by their row numbers. */
  areElements: boolean
}

export function selectScanEntries(
  { keys, overlapping }: IndexScan,
  { procedure }: QueryPlan,
  rows: RowRange,
): ScanEntries {
  const [owner, within] = [whereProcedure(procedure), whereInRows(rows)]
  const areElements = keys.some(isElement)
  if (keys.length === 0)
    return { keys: [sql`${ROW_NUMBER.from} WHERE ${and([owner, ...within])}`], overlapping, areElements }
  const entries = keys.map(({ column, value }) => {
    const isKey = sql`${column.column} = ${toComparable(value)}`
    return sql`${column.from} WHERE ${and([owner, ...whereSlot(column), isKey, ...within])}`
  })
  return { keys: entries, overlapping, areElements }
}

/** The condition of a slot. Its number is part of the text, because there are few. */
const whereSlot = ({ slot }: QueryColumn): SQL[] =>
  slot === undefined ? [] : [sql`${sql.identifier('process')}.${sql.identifier('slot')} = ${sql.raw(String(slot))}`]

/** Selects the newest row numbers of several keys. Each index is in order, so SQLite merges them without sorting. */
function mergeRowNumbers({ keys, overlapping }: ScanEntries, limit: SQL): SQL {
  const merged = sql.join(
    keys.map(from => sql`SELECT ${RID} ${from}`),
    overlapping ? sql` UNION ` : sql` UNION ALL `,
  )
  return sql`SELECT rid FROM (${merged} ORDER BY rid DESC LIMIT ${limit})`
}

/** Selects the newest row numbers of an index scan from its indexes alone. */
export const selectNewestRowNumbers = (entries: ScanEntries, limit: SQL): SQL =>
  entries.keys.length > 1 ? mergeRowNumbers(entries, limit) : selectNewestProcesses(entries, [], limit)

/** Selects the newest processes of an index scan, with columns besides the row number `rid`. */
export function selectNewestProcesses(entries: ScanEntries, columns: SQL[], limit: SQL): SQL {
  if (entries.keys.length > 1 || entries.areElements) {
    const selected = sql.join([sql`merged.rid AS rid`, ...columns], sql`, `)
    // An element that has outlived its process still has an entry.
    const join = entries.areElements ? sql`LEFT JOIN` : sql`CROSS JOIN`
    return sql`SELECT ${selected} FROM (${mergeRowNumbers(entries, limit)}) AS merged ${join} ${process} ON ${process.rid} = merged.rid`
  }
  const selected = sql.join([RID, ...columns], sql`, `)
  return sql`SELECT ${selected} ${sql.join(entries.keys)} ORDER BY ${process.rid} DESC LIMIT ${limit}`
}

/** Selects the entries of a range scan, in the order of its index. */
export const fromRange = ({ column, bounds }: RangeScan, procedure: Procedure): SQL =>
  arePrefixes(bounds)
    ? fromPrefixes(column, whereProcedure(procedure))
    : sql`${column.from} WHERE ${and([whereProcedure(procedure), ...whereSlot(column)])} AND ${
        Array.isArray(bounds) ? sql`${column.column} IN ${toComparables(bounds)}` : between(column, bounds)
      }`

export function between({ column, mixed }: QueryColumn, { low, high, numeric }: RangeBounds): SQL {
  const terms = [
    ...(low === undefined ? [] : [compare(column, low.operator, low.value)]),
    ...(high === undefined ? [] : [compare(column, high.operator, high.value)]),
  ]
  // Numbers sort before text: if a side is open, the other kind must be kept out.
  if (mixed && numeric && high === undefined) terms.push(sql`${column} < ''`)
  if (mixed && !numeric && low === undefined) terms.push(sql`${column} >= ''`)
  return joinTerms(terms, 'AND')
}

/** The column that tells whether a process matches. As a column, AND is computed to its end; inside CASE it stops at the first part that fails. */
export const buildMatchColumn = (terms: SQL[]): SQL =>
  terms.length === 0 ? sql`1 AS is_match` : sql`CASE WHEN ${and(terms)} THEN 1 ELSE 0 END AS is_match`

export const buildMatchCondition = (scan: IndexScan | RangeScan, { procedure }: QueryPlan, terms: SQL[] = []): SQL =>
  buildMatchColumn(scan.remaining.length === 0 ? terms : [...terms, buildWhereAll(scan.remaining, procedure)])

/** Estimates the cost of reading an entry: its filter, and the fields by which its matches are sorted. */
export function estimateScanCost(
  remaining: readonly Condition[],
  { procedure }: QueryPlan,
  sort: Pick<SortExpressions, 'documents'> | null,
): RowCost {
  return addLookups(estimateRowCost(remaining, procedure), sort?.documents ?? 0)
}

/** The condition that processes must meet if elements found them: an entry may have outlived its process. */
export const whereOwner = (areElements: boolean, { procedure }: QueryPlan): SQL[] =>
  areElements ? [whereProcedure(procedure)] : []
