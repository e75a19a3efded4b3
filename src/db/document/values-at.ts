import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { jsonPath } from './json.ts'
import { selectRowJson, splitRowValues } from './values-by-row.ts'

/** The values of one call. A function of D1 takes 32 arguments. */
const VALUES_PER_CALL = 30

/** Splits names into lists, each as long as one `selectValuesAt` takes. */
export const splitCalls = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / VALUES_PER_CALL) }, (_, nth) =>
    all.slice(nth * VALUES_PER_CALL, (nth + 1) * VALUES_PER_CALL),
  )

/** Selects the values at some paths of a document as one JSON list. With a single path, `json_extract` would return no list. */
export const selectValuesAt = (document: SQLWrapper, [only, ...others]: readonly SQL[]): SQL =>
  others.length === 0
    ? sql`json_array(${document} -> (${only}))`
    : sql`json_extract(${document}, ${sql.join([only, ...others], sql`, `)})`

/** Selects the values at the paths in a JSON list. */
export const selectValuesAtEach = (document: SQLWrapper, paths: SQL, from: SQL = sql``): SQL => {
  const path = sql`${sql.identifier('path')}.value`
  return sql`(SELECT json_group_array(json(${document} -> (${path})))
    FROM ${from}json_each(${paths}) AS ${sql.identifier('path')})`
}

/** An empty list of lists of values. */
export const NO_VALUES = sql`json('[]')`

/** Selects the values of some names, in lists, as JSON. Each name is a parameter. */
export function selectNamedValues(document: SQLWrapper, names: readonly string[]): SQL {
  if (names.length === 0) return NO_VALUES
  const lists = splitCalls(names).map(some =>
    selectValuesAt(
      document,
      some.map(name => sql`${jsonPath(name)}`),
    ),
  )
  return sql`json_array(${sql.join(lists, sql`, `)})`
}

/** Selects the values likewise if each row has other names. */
export function selectValuesNamedByRow(
  { rid, document }: { rid: SQLWrapper; document: SQLWrapper },
  rows: readonly { rid: number; names: readonly string[] }[],
): SQL {
  const paths = splitRowValues(rows.map(row => [row.rid, JSON.stringify(row.names.map(jsonPath))]))
  const { value, from } = selectRowJson(rid, paths)
  const named = sql`(SELECT ${value} ${from}) AS named, `
  return sql`json_array(${selectValuesAtEach(document, sql`named.${value}`, named)})`
}
