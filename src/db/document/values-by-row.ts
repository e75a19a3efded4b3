import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type ChangeGroups, type ChangeShape, selectChangedDocument } from './change.ts'

/** Beyond this number of texts, a statement has more parameters than they save. */
const TEXTS_MAX = 16
const ROWS_PER_TEXT_MIN = 8

/** The values of some rows, up to the row number `upTo`, as the text of a JSON object by row number. */
export interface RowValues {
  upTo: number
  text: string
}

/**
 * Distributes the value of each row, by its row number, over several parameters: for each value that it looks up, SQLite
 * compares the whole text with the one that it parsed last. Rows are visited in order, so one parsed text is enough.
 */
export function splitRowValues(values: Iterable<readonly [rid: number, json: string]>): RowValues[] {
  const sorted = [...values].sort(([one], [other]) => one - other)
  const rows = Math.max(ROWS_PER_TEXT_MIN, Math.ceil(sorted.length / TEXTS_MAX))
  return Array.from({ length: Math.ceil(sorted.length / rows) }, (_, nth) => {
    const some = sorted.slice(nth * rows, (nth + 1) * rows)
    return { upTo: some.at(-1)?.[0] ?? 0, text: `{${some.map(([rid, json]) => `"${rid}":${json}`).join(',')}}` }
  })
}

/** Selects the JSON of a row from its values. */
export function selectRowValue(rid: SQLWrapper, values: readonly RowValues[]): SQL {
  const last = values.at(-1)?.text ?? '{}'
  const cases = values.slice(0, -1).map(({ upTo, text }) => sql`WHEN ${rid} <= ${sql.raw(String(upTo))} THEN ${text}`)
  const text = cases.length === 0 ? sql`${last}` : sql`(CASE ${sql.join(cases, sql` `)} ELSE ${last} END)`
  return sql`${text} -> ('$."' || ${rid} || '"')`
}

/** Writes row numbers, which are our own, into the text: a list of literals reads one row less for each than a list in a parameter. */
export const ridList = (rids: readonly number[]): SQL => {
  if (!rids.every(Number.isSafeInteger)) throw new Error('a row number is an integer')
  return sql.raw(`(${rids.join(', ')})`)
}

interface JsonOfRow {
  /** The row's own value, as JSON. */
  value: SQL
  /** The text after the columns that read the value. */
  from: SQL
}

/** Selects the JSON of a row. LIMIT and the condition keep SQLite from flattening the subquery: the value is looked up once for each row. */
export function selectRowJson(rid: SQLWrapper, values: readonly RowValues[]): JsonOfRow {
  const value = sql`${sql.identifier('value')}`
  const from = sql`FROM (SELECT jsonb(${selectRowValue(rid, values)}) AS ${value} LIMIT 1) WHERE ${value} IS NOT NULL`
  return { value, from }
}

interface RowDocument extends JsonOfRow {
  /** The row's document after the change in the value's `set` and `removed`. */
  document: SQL
}

/**
 * Selects the values of an update of many rows, each of which may change other attributes. LIMIT and the conditions are as
 * in `selectRowJson`: each group of a change is a JSON of its own, and no row is read for it.
 */
export function selectRowValues(
  { rid, document }: { rid: SQLWrapper; document: SQLWrapper },
  values: readonly RowValues[],
  shape: ChangeShape,
): RowDocument {
  const { value, from } = selectRowJson(rid, values)
  const names = (list: readonly number[], prefix: string) => list.map((_, nth) => sql`${sql.identifier(prefix + nth)}`)
  const groups: ChangeGroups = { set: names(shape.set, 'set'), removed: names(shape.removed, 'removed') }
  const extracted = (list: readonly SQL[], member: string) =>
    list.map((name, nth) => sql`, jsonb_extract(${value}, ${sql.raw(`'$.${member}[${nth}]'`)}) AS ${name}`)
  const columns = sql.join([...extracted(groups.set, 'set'), ...extracted(groups.removed, 'removed')])
  return {
    value,
    document: selectChangedDocument(sql`${document}`, shape, groups),
    from: sql`FROM (SELECT ${value}${columns} ${from} LIMIT 1) WHERE ${value} IS NOT NULL`,
  }
}
