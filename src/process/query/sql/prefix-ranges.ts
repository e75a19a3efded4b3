import { type SQL, sql } from 'drizzle-orm'
import type { QueryColumn } from '../plan/columns.ts'
import type { Prefixes } from '../plan/prefixes.ts'

/**
 * Builds the tables of the ranges of an index that hold the texts with some prefixes, in their order:
 *
 * - `walk`: beginnings of the prefixes, as far as the index has a text that starts with them
 * - `prefix`: those of `walk` that are whole prefixes. No two ranges have a text in common
 */
export function buildPrefixTables(
  { column, source }: QueryColumn,
  { prefixes }: Prefixes,
  owner: SQL,
  walkedMax: number,
): SQL {
  const pieces = sql`${JSON.stringify(prefixes)}`
  const [from, before] = [sql`walk.low || (spelling.value->>0)`, sql`walk.low || (spelling.value->>1)`]
  const isThere = sql`EXISTS (SELECT 1 FROM ${source} WHERE ${owner} AND ${column} >= ${from} AND ${column} < ${before})`
  const length = sql`json_array_length(${pieces}, '$[' || pattern || ']')`
  return sql`walk AS MATERIALIZED (SELECT key AS pattern, 0 AS depth, '' AS low, '' AS high FROM json_each(${pieces})
UNION ALL SELECT pattern, depth + 1, ${from}, ${before} FROM walk CROSS JOIN json_each(${pieces}, '$[' || pattern || '][' || depth || ']') AS spelling WHERE ${isThere} LIMIT ${walkedMax}),
prefix AS MATERIALIZED (SELECT low, high FROM walk WHERE depth = ${length} ORDER BY low LIMIT ${walkedMax})`
}

/** Matches if all beginnings were looked for. */
export const whereWalked = (walkedMax: number): SQL => sql`(SELECT count(*) FROM walk) < ${walkedMax}`

export const fromPrefixes = ({ column, source }: QueryColumn, owner: SQL): SQL =>
  sql`FROM prefix CROSS JOIN ${source} WHERE ${owner} AND ${column} >= prefix.low AND ${column} < prefix.high`

/** Selects the entries of the last range. */
export const fromLastPrefix = ({ column, from }: QueryColumn, owner: SQL): SQL =>
  sql`${from} WHERE ${owner} AND ${column} >= (SELECT max(low) FROM prefix) AND ${column} < (SELECT max(high) FROM prefix)`
