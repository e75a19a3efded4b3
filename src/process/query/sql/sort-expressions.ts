import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../../../db/document/json.ts'
import { INDEXED_TEXT_LENGTH_MAX, type Procedure } from '../../../procedure/model.ts'
import { process } from '../../table.ts'
import { findSortColumn } from '../plan/columns.ts'
import type { QueryField } from '../read/condition.ts'
import type { SortField, SortPosition } from '../read/sort.ts'
import { TRUE, toComparable } from './comparison.ts'

/** The columns of a statement that hold the values of the sort fields, as many as a sort may have. */
const SORT_NAMES = ['sort0', 'sort1', 'sort2', 'sort3'] as const
export type SortName = (typeof SORT_NAMES)[number]

/** The expressions of an order other than newest first. */
export interface SortExpressions {
  names: SortName[]
  /** `<expression> AS sort<n>` */
  columns: SQL[]
  /** The text after ORDER BY. */
  order: SQL
  /** Tells whether a match lies after the cursor. */
  isAfter: SQL
  /** The number of fields that only the document has. */
  documents: number
}

export function buildSortExpressions(
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
    columns: sorted.map(({ name, field }) => sql`${selectSortValue(field, procedure)} AS ${sql.identifier(name)}`),
    order: sql.join([...orders, sql`rid DESC`], sql`, `),
    documents: sorted.filter(({ field }) => findSortColumn(field, procedure) === null).length,
    isAfter: after === null ? TRUE : sorted.reduceRight(whereBehind, sql`rid < ${after.rid}`),
  }
}

/** Matches if a match belongs to the page. Newest first, entries are read in order, so those before the cursor were left out already. */
export const whereWanted = (sort: SortExpressions | null): SQL =>
  sort === null ? sql`is_match` : sql`is_match AND ${sort.isAfter}`

/** Selects what a process is sorted by: of a text, as much as an index has, for `cutText` of `sort-position.ts` does the same. */
function selectSortValue(field: QueryField, procedure: Procedure): SQL {
  const column = findSortColumn(field, procedure)
  if (column !== null) return column.column
  const path = jsonPath(field.root ?? field.attribute)
  const value = sql`${process.data}->>${path}`
  const text = sql`substr(${value}, 1, ${sql.raw(String(INDEXED_TEXT_LENGTH_MAX))})`
  return sql`CASE json_type(${process.data}, ${path}) WHEN 'text' THEN ${text} WHEN 'array' THEN NULL WHEN 'object' THEN NULL ELSE ${value} END`
}

/** Matches if a match lies after the value of the cursor, or at it and after it in the next fields. Absent values come last. */
function whereBehind(
  following: SQL,
  { name, descending, reached }: { name: SortName; descending: boolean; reached: string | number | null },
): SQL {
  const column = sql.identifier(name)
  if (reached === null) return sql`(${column} IS NULL AND ${following})`
  const value = toComparable(reached)
  const beyond = descending ? sql`${column} < ${value}` : sql`${column} > ${value}`
  return sql`(${beyond} OR ${column} IS NULL OR (${column} = ${value} AND ${following}))`
}
