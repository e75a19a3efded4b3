import { type SQL, sql } from 'drizzle-orm'

/** What one statement removes: rows differ in size by a factor of thousands, and each byte of a removed row is looked at. */
export const REMOVED_BYTES_MAX = 8_000_000

interface Window {
  /** The columns that are selected. */
  key: SQL
  /** In which order rows are taken, if it is not that of the key. */
  order?: SQL
  bytesMax: number
}

/** Those of a bounded number of rows that have so many bytes together, one at least. `rows` selects the key and `bytes`. */
export const withinBytes = ({ key, order = key, bytesMax }: Window, rows: SQL): SQL =>
  sql`SELECT ${key} FROM (SELECT *, sum(bytes) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - bytes AS bytes_before
    FROM (${rows})) WHERE bytes_before < ${bytesMax}`
