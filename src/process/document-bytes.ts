import { type SQL, sql } from 'drizzle-orm'
import { LARGE_DOCUMENT_BYTES, selectDocumentWeight } from './table.ts'

/** The weight of a document, in bytes. */
const WEIGHT = selectDocumentWeight('"process".')
export const BYTES = sql.raw(`${WEIGHT} AS bytes`)
/** The weight of a document and its words, for statements that read both. */
export const BYTES_WITH_WORDS = sql.raw(`${WEIGHT} + ifnull(length("process"."words"), 0) AS bytes`)

/** The condition of the index `process_large`, in the same words: only so does SQLite use it. */
export const IS_LARGE = sql.raw(`${WEIGHT} > ${LARGE_DOCUMENT_BYTES}`)

/** The entries that one statement reads, and the bytes that their documents may have together; null if it reads no document. */
export interface EntryLimits {
  most: number
  bytesMax: number | null
}

/**
 * An expression for LIMIT: as many entries as have at most `bytesMax` together, and one at least. `entries` selects their
 * bytes, in the order in which they are read, and has a LIMIT of its own.
 */
export function countFittingEntries({ most, bytesMax }: EntryLimits, entries: SQL): SQL {
  const summed = sql`SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes FROM (${entries})`
  return sql`(SELECT iif(max(bytes) <= ${bytesMax}, ${most}, max(1, count(*) FILTER (WHERE bytes <= ${bytesMax}))) FROM (${summed}))`
}
