import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type ChangeGroups, type ChangeShape, changedDocument } from './document-change.ts'

/** Looking up a key reads those before it, so the values lie in this many buckets. */
const BUCKETS = 16

/** The value of each row, by its row number. One parameter for any number of rows. */
export function bucketsOf(values: Iterable<readonly [number, unknown]>): string {
  const buckets: Record<string, Record<string, unknown>> = {}
  for (const [rid, value] of values) {
    const bucket = String(rid % BUCKETS)
    buckets[bucket] ??= {}
    buckets[bucket][rid] = value
  }
  return JSON.stringify(buckets)
}

/** The JSON that `buckets` holds for the row. */
export const valueOfRow = (rid: SQLWrapper, buckets: string): SQL =>
  sql`${buckets} -> ('$."' || (${rid} % ${sql.raw(String(BUCKETS))}) || '"."' || ${rid} || '"')`

/** Numbers of our own making, written out: a list of literals reads one row less for each than a list in a parameter. */
export const ridList = (rids: readonly number[]): SQL => {
  if (!rids.every(Number.isSafeInteger)) throw new Error('a row number is an integer')
  return sql.raw(`(${rids.join(', ')})`)
}

interface OfRow {
  /** The row's own value, as JSON. */
  value: SQL
  /** Its document after the change that is the value's `set` and `removed`. */
  document: SQL
  /** What follows the columns that are made of them. */
  from: SQL
}

/**
 * What an update of many rows is made of. LIMIT and the conditions keep SQLite from flattening the subqueries: the value
 * is looked up once for each row, each group of its change is a JSON of its own, and no row is read for it.
 */
export function valuesOfRow(
  { rid, document }: { rid: SQLWrapper; document: SQLWrapper },
  buckets: string,
  shape: ChangeShape,
): OfRow {
  const value = sql`${sql.identifier('value')}`
  const names = (list: readonly number[], prefix: string) => list.map((_, nth) => sql`${sql.identifier(prefix + nth)}`)
  const groups: ChangeGroups = { set: names(shape.set, 'set'), removed: names(shape.removed, 'removed') }
  const extracted = (list: readonly SQL[], member: string) =>
    list.map((name, nth) => sql`, jsonb_extract(${value}, ${sql.raw(`'$.${member}[${nth}]'`)}) AS ${name}`)
  const columns = sql.join([...extracted(groups.set, 'set'), ...extracted(groups.removed, 'removed')])
  return {
    value,
    document: changedDocument(sql`${document}`, shape, groups),
    from: sql`FROM (SELECT ${value}${columns} FROM (SELECT jsonb(${valueOfRow(rid, buckets)}) AS ${value} LIMIT 1)
      WHERE ${value} IS NOT NULL LIMIT 1) WHERE ${value} IS NOT NULL`,
  }
}
