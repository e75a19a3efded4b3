import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { jsonPath } from './json.ts'
import { rowValues, selectRowJson } from './values-by-row.ts'

/** A function of D1 takes 32 arguments. */
const VALUES_PER_CALL = 30

/** As many names as one `valuesAt` takes, in lists. */
export const inCalls = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / VALUES_PER_CALL) }, (_, nth) =>
    all.slice(nth * VALUES_PER_CALL, (nth + 1) * VALUES_PER_CALL),
  )

/** The values at some paths of a document as one JSON list. With a single path `json_extract` would make none. */
export const valuesAt = (document: SQLWrapper, [only, ...others]: readonly SQL[]): SQL =>
  others.length === 0
    ? sql`json_array(${document} -> (${only}))`
    : sql`json_extract(${document}, ${sql.join([only, ...others], sql`, `)})`

/** The values at the paths that a JSON list names. */
export const valuesAtEach = (document: SQLWrapper, paths: SQL, from: SQL = sql``): SQL => {
  const path = sql`${sql.identifier('path')}.value`
  return sql`(SELECT json_group_array(json(${document} -> (${path})))
    FROM ${from}json_each(${paths}) AS ${sql.identifier('path')})`
}

/** Lists of no values. */
export const NO_VALUES = sql`json('[]')`

/** The values of some names, in lists, as JSON. Each name is a parameter. */
export function selectNamedValues(document: SQLWrapper, names: readonly string[]): SQL {
  if (names.length === 0) return NO_VALUES
  const lists = inCalls(names).map(some =>
    valuesAt(
      document,
      some.map(name => sql`${jsonPath(name)}`),
    ),
  )
  return sql`json_array(${sql.join(lists, sql`, `)})`
}

/** The same where each row names others. */
export function valuesNamedByRow(
  { rid, document }: { rid: SQLWrapper; document: SQLWrapper },
  rows: readonly { rid: number; names: readonly string[] }[],
): SQL {
  const paths = rowValues(rows.map(row => [row.rid, JSON.stringify(row.names.map(jsonPath))]))
  const { value, from } = selectRowJson(rid, paths)
  const named = sql`(SELECT ${value} ${from}) AS named, `
  return sql`json_array(${valuesAtEach(document, sql`named.${value}`, named)})`
}
