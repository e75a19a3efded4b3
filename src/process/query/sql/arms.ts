import type { Column } from '../plan/columns.ts'
import type { Bounds, Gather, Key, Plan, Stream } from '../plan/plan.ts'
import type { Condition } from '../read/condition.ts'
import type { Parameters } from './parameters.ts'
import { joined, residual } from './residual.ts'

/** Which row numbers a statement looks at. */
export interface Window {
  from: number | null
  before: number | null
}

/** A named expression over a row of `process`, carried along with each candidate. */
export type Extra = { name: string; sql: string }

/** Writes the pieces of a plan's statements. Every index is named: left to itself, SQLite picks by luck. */
export function armsOf({ procedure }: Plan, params: Parameters) {
  const proc = `process.proc = ${params.value(procedure.no)}`
  const rest = (conditions: Condition[]): string => residual({ kind: 'all', parts: conditions }, procedure, params)
  const within = ({ from, before }: Window): string[] => [
    ...(from === null ? [] : [`process.rid >= ${params.value(from)}`]),
    ...(before === null ? [] : [`process.rid < ${params.value(before)}`]),
  ]
  const keyed = (key: Key | undefined, window: Window): string => {
    const where = [
      proc,
      ...(key === undefined ? [] : [`${key.column.name} = ${params.value(key.value)}`]),
      ...within(window),
    ]
    return `FROM process INDEXED BY ${key?.column.index ?? 'process_list'} WHERE ${where.join(' AND ')}`
  }
  const merged = ({ keys, overlapping }: Stream, window: Window): string =>
    keys.map(key => `SELECT process.rid AS k ${keyed(key, window)}`).join(overlapping ? ' UNION ' : ' UNION ALL ')

  return {
    proc,
    rest,
    within,
    /** The row numbers of a stream alone, from its index. */
    keysOnly(stream: Stream, window: Window, limit: string): string {
      if (stream.keys.length > 1) return `SELECT k FROM (${merged(stream, window)} ORDER BY k DESC LIMIT ${limit})`
      return `SELECT process.rid AS k ${keyed(stream.keys[0], window)} ORDER BY process.rid DESC LIMIT ${limit}`
    },
    /** The processes of a stream that follows one index. */
    whole(stream: Stream, window: Window, limit: string, row: string): string {
      return `SELECT process.rid AS k, ${row} AS row ${keyed(stream.keys[0], window)} ORDER BY process.rid DESC LIMIT ${limit}`
    },
    /** Candidates `k`, newest first, at most `limit` of them, each with whether it is a `hit`. */
    candidates(stream: Stream, window: Window, limit: string, extras: Extra[]): string {
      const columns = [
        `${asHit([rest(stream.rest)])} AS hit`,
        ...extras.map(({ name, sql }) => `${sql} AS ${name}`),
      ].join(', ')
      if (stream.keys.length > 1) {
        const ordered = `SELECT k FROM (${merged(stream, window)} ORDER BY k DESC LIMIT ${limit})`
        return `SELECT merged.k AS k, ${columns} FROM (${ordered}) AS merged CROSS JOIN process ON process.rid = merged.k`
      }
      return `SELECT process.rid AS k, ${columns} ${keyed(stream.keys[0], window)} ORDER BY process.rid DESC LIMIT ${limit}`
    },
    /** A part of an index, in the order of the index. */
    gathered({ column, bounds }: Gather): string {
      const where = [
        proc,
        Array.isArray(bounds) ? `${column.name} IN ${params.list(bounds)}` : between(column, bounds, params),
      ]
      return `FROM process INDEXED BY ${column.index ?? ''} WHERE ${where.join(' AND ')}`
    },
  }
}

/** As a column, a chain of AND is computed to its end; inside CASE it stops at the first part that fails. */
export const asHit = (terms: string[]): string => `CASE WHEN ${terms.join(' AND ')} THEN 1 ELSE 0 END`

export function between(column: Column, { low, high, numeric }: Bounds, params: Parameters): string {
  const terms = [
    ...(low === undefined ? [] : [`${column.name} ${low.operator} ${params.value(low.value)}`]),
    ...(high === undefined ? [] : [`${column.name} ${high.operator} ${params.value(high.value)}`]),
  ]
  // Numbers sort before text: where a side is open, the other kind must be kept out.
  if (column.mixed === true && numeric && high === undefined) terms.push(`${column.name} < ''`)
  if (column.mixed === true && !numeric && low === undefined) terms.push(`${column.name} >= ''`)
  return joined(terms, 'AND')
}
