import type { ProcessColumn } from '../plan/columns.ts'
import type { IndexKey, IndexScan, QueryPlan, RangeBounds, RangeScan } from '../plan/plan.ts'
import type { Condition } from '../read/condition.ts'
import type { Parameters } from './parameters.ts'
import { joinTerms, whereOf } from './where.ts'

/** Which row numbers a statement looks at. */
export interface RowRange {
  from: number | null
  before: number | null
}

/** A named expression over a row of `process`, carried along with each candidate. */
export type SortColumn = { name: string; sql: string }

/** Writes the pieces of a plan's statements. Every index is named: left to itself, SQLite picks by luck. */
export function scansOf({ procedure }: QueryPlan, params: Parameters) {
  const proc = `process.proc = ${params.value(procedure.no)}`
  const remaining = (conditions: Condition[]): string => whereOf({ kind: 'all', parts: conditions }, procedure, params)
  const within = ({ from, before }: RowRange): string[] => [
    ...(from === null ? [] : [`process.rid >= ${params.value(from)}`]),
    ...(before === null ? [] : [`process.rid < ${params.value(before)}`]),
  ]
  const keyed = (key: IndexKey | undefined, window: RowRange): string => {
    const where = [
      proc,
      ...(key === undefined ? [] : [`${key.column.name} = ${params.value(key.value)}`]),
      ...within(window),
    ]
    return `FROM process INDEXED BY ${key?.column.index ?? 'process_list'} WHERE ${where.join(' AND ')}`
  }
  const merged = ({ keys, overlapping }: IndexScan, window: RowRange): string =>
    keys.map(key => `SELECT process.rid AS k ${keyed(key, window)}`).join(overlapping ? ' UNION ' : ' UNION ALL ')

  return {
    proc,
    remaining,
    within,
    /** The row numbers of a stream alone, from its index. */
    keysOnly(indexScan: IndexScan, window: RowRange, limit: string): string {
      if (indexScan.keys.length > 1)
        return `SELECT k FROM (${merged(indexScan, window)} ORDER BY k DESC LIMIT ${limit})`
      return `SELECT process.rid AS k ${keyed(indexScan.keys[0], window)} ORDER BY process.rid DESC LIMIT ${limit}`
    },
    /** The processes of a stream that follows one index. */
    whole(indexScan: IndexScan, window: RowRange, limit: string, row: string): string {
      return `SELECT process.rid AS k, ${row} AS row ${keyed(indexScan.keys[0], window)} ORDER BY process.rid DESC LIMIT ${limit}`
    },
    /** Candidates `k`, newest first, at most `limit` of them, each with whether it is a `hit`. */
    candidates(indexScan: IndexScan, window: RowRange, limit: string, sortColumns: SortColumn[]): string {
      const columns = [
        `${asMatch([remaining(indexScan.remaining)])} AS hit`,
        ...sortColumns.map(({ name, sql }) => `${sql} AS ${name}`),
      ].join(', ')
      if (indexScan.keys.length > 1) {
        const ordered = `SELECT k FROM (${merged(indexScan, window)} ORDER BY k DESC LIMIT ${limit})`
        return `SELECT merged.k AS k, ${columns} FROM (${ordered}) AS merged CROSS JOIN process ON process.rid = merged.k`
      }
      return `SELECT process.rid AS k, ${columns} ${keyed(indexScan.keys[0], window)} ORDER BY process.rid DESC LIMIT ${limit}`
    },
    /** A part of an index, in the order of the index. */
    gathered({ column, bounds }: RangeScan): string {
      const where = [
        proc,
        Array.isArray(bounds) ? `${column.name} IN ${params.list(bounds)}` : between(column, bounds, params),
      ]
      return `FROM process INDEXED BY ${column.index ?? ''} WHERE ${where.join(' AND ')}`
    },
  }
}

/** As a column, a chain of AND is computed to its end; inside CASE it stops at the first part that fails. */
export const asMatch = (terms: string[]): string => `CASE WHEN ${terms.join(' AND ')} THEN 1 ELSE 0 END`

export function between(column: ProcessColumn, { low, high, numeric }: RangeBounds, params: Parameters): string {
  const terms = [
    ...(low === undefined ? [] : [`${column.name} ${low.operator} ${params.value(low.value)}`]),
    ...(high === undefined ? [] : [`${column.name} ${high.operator} ${params.value(high.value)}`]),
  ]
  // Numbers sort before text: where a side is open, the other kind must be kept out.
  if (column.mixed === true && numeric && high === undefined) terms.push(`${column.name} < ''`)
  if (column.mixed === true && !numeric && low === undefined) terms.push(`${column.name} >= ''`)
  return joinTerms(terms, 'AND')
}
