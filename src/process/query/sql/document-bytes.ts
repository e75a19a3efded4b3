import { type SQL, sql } from 'drizzle-orm'
import type { Procedure } from '../../../procedure/model.ts'
import { LARGE_DOCUMENT_BYTES, process, weightOfDocument } from '../../table.ts'
import { and, ofProcedure, type RowRange, rowsWithin } from './scans.ts'

/** Of an entry's document. */
const WEIGHT = weightOfDocument('"process".')
export const BYTES = sql.raw(`${WEIGHT} AS bytes`)
/** The same of one whose words are looked at as well. */
export const BYTES_WITH_WORDS = sql.raw(`${WEIGHT} + ifnull(length("process"."words"), 0) AS bytes`)

/** As the index `process_large` says it. */
export const IS_LARGE = sql.raw(`${WEIGHT} > ${LARGE_DOCUMENT_BYTES}`)

/** Whether some processes of a procedure have large documents: one entry of an index is looked for. */
export const hasLarge = (procedure: Procedure, rows: RowRange): SQL =>
  sql`EXISTS (SELECT 1 FROM ${process} INDEXED BY process_large WHERE ${and([ofProcedure(procedure), IS_LARGE, ...rowsWithin(rows)])})`

/** How many entries one statement reads, and how many bytes their documents may have together; null: none is looked into. */
export interface EntryLimits {
  most: number
  bytesMax: number | null
}

/**
 * What follows LIMIT: so many entries, or where documents are looked into, those of them whose documents have no more than
 * so many bytes together; one at least. Bytes are summed only where there is a large document. `entries` has their bytes,
 * in the order in which they are read, and its own LIMIT.
 */
export const entriesWithin = (procedure: Procedure, rows: RowRange, limits: EntryLimits, entries: SQL): SQL =>
  limits.bytesMax === null
    ? sql`${limits.most}`
    : sql`(SELECT iif(${hasLarge(procedure, rows)}, ${fittingEntries(limits, entries)}, ${limits.most}))`

/** The same, and the bytes are summed whatever the documents are. */
export function fittingEntries({ most, bytesMax }: EntryLimits, entries: SQL): SQL {
  const summed = sql`SELECT sum(bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes FROM (${entries})`
  return sql`(SELECT iif(max(bytes) <= ${bytesMax}, ${most}, max(1, count(*) FILTER (WHERE bytes <= ${bytesMax}))) FROM (${summed}))`
}
