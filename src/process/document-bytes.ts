import { type SQL, sql } from 'drizzle-orm'
import { LARGE_DOCUMENT_BYTES, selectDocumentWeight } from './table.ts'

/** The weight of an entry's document. */
const WEIGHT = selectDocumentWeight('"process".')
export const BYTES = sql.raw(`${WEIGHT} AS bytes`)
/** The weight of a document whose words are read as well. */
export const BYTES_WITH_WORDS = sql.raw(`${WEIGHT} + ifnull(length("process"."words"), 0) AS bytes`)

/** As the index `process_large` says it. */
export const IS_LARGE = sql.raw(`${WEIGHT} > ${LARGE_DOCUMENT_BYTES}`)

/** How many entries one statement reads, and how many bytes their documents may have together; null: none is looked into. */
export interface EntryLimits {
  most: number
  bytesMax: number | null
}

/**
 * What follows LIMIT: so many of the entries as have no more than so many bytes together; one at least. `entries` has their
 * bytes, in the order in which they are read, and its own LIMIT.
 */
export function fittingEntries({ most, bytesMax }: EntryLimits, entries: SQL): SQL {
  const summed = sql`SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes FROM (${entries})`
  return sql`(SELECT iif(max(bytes) <= ${bytesMax}, ${most}, max(1, count(*) FILTER (WHERE bytes <= ${bytesMax}))) FROM (${summed}))`
}
