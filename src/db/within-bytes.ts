import { type SQL, sql } from 'drizzle-orm'

/** The bytes that one statement removes: rows differ in size by a factor of thousands, and each byte of a removed row is read. */
export const REMOVED_BYTES_MAX = 8_000_000

interface Window {
  /** The columns that are selected. */
  key: SQL
  /** The order of the rows, if it is not that of the key. */
  order?: SQL
  bytesMax: number
}

/** Selects as many of a bounded number of rows as have `bytesMax` together, and at least one. `rows` selects the key and `bytes`. */
export const selectWithinBytes = ({ key, order = key, bytesMax }: Window, rows: SQL): SQL =>
  sql`SELECT ${key} FROM (SELECT *, sum(bytes) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before
    FROM (${rows})) WHERE bytes_before < ${bytesMax}`
