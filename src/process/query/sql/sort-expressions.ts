import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../../../db/document/json.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { process } from '../../table.ts'
import { findSortColumn } from '../plan/columns.ts'
import type { QueryField } from '../read/condition.ts'
import type { SortField, SortPosition } from '../read/sort.ts'
import { comparable, TRUE } from './comparison.ts'

/** Columns of a statement that hold the values of the sort fields: as many as a sort may have fields. */
const SORT_NAMES = ['sort0', 'sort1', 'sort2', 'sort3'] as const
export type SortName = (typeof SORT_NAMES)[number]

/** A result in another order than newest first. */
export interface SortExpressions {
  names: SortName[]
  /** `<expression> AS sort<n>` */
  columns: SQL[]
  /** What follows ORDER BY. */
  order: SQL
  /** Whether a match lies behind the cursor. */
  isAfter: SQL
  /** How many of the fields only the document has. */
  documents: number
}

export function sortExpressions(
  fields: SortField[],
  procedure: Procedure,
  after: SortPosition | null,
): SortExpressions {
  const sorted = fields.flatMap(({ field, descending }, index) => {
    const name = SORT_NAMES[index]
    return name === undefined ? [] : [{ name, field, descending, reached: after?.values[index] ?? null }]
  })
  const orders = sorted.map(({ name, descending }) =>
    descending ? sql`${sql.identifier(name)} DESC NULLS LAST` : sql`${sql.identifier(name)} ASC NULLS LAST`,
  )
  return {
    names: sorted.map(({ name }) => name),
    columns: sorted.map(({ name, field }) => sql`${sortValue(field, procedure)} AS ${sql.identifier(name)}`),
    order: sql.join([...orders, sql`rid DESC`], sql`, `),
    documents: sorted.filter(({ field }) => findSortColumn(field, procedure) === null).length,
    isAfter: after === null ? TRUE : sorted.reduceRight(isBehind, sql`rid < ${after.rid}`),
  }
}

/** Newest first is the order in which entries are read; all that lie behind the cursor were left out before. */
export const isWanted = (sort: SortExpressions | null): SQL =>
  sort === null ? sql`is_match` : sql`is_match AND ${sort.isAfter}`

function sortValue(field: QueryField, procedure: Procedure): SQL {
  const column = findSortColumn(field, procedure)
  if (column !== null) return column.column
  const path = jsonPath(field.root ?? field.attribute)
  return sql`CASE json_type(${process.data}, ${path}) WHEN 'array' THEN NULL WHEN 'object' THEN NULL ELSE ${process.data}->>${path} END`
}

/** Behind the value that the cursor reached, or at it and behind in the fields that follow. Absent values come last. */
function isBehind(
  following: SQL,
  { name, descending, reached }: { name: SortName; descending: boolean; reached: string | number | null },
): SQL {
  const column = sql.identifier(name)
  if (reached === null) return sql`(${column} IS NULL AND ${following})`
  const value = comparable(reached)
  const beyond = descending ? sql`${column} < ${value}` : sql`${column} > ${value}`
  return sql`(${beyond} OR ${column} IS NULL OR (${column} = ${value} AND ${following}))`
}
