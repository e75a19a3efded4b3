import { type SQL, sql } from 'drizzle-orm'
import type { Procedure } from '../../../procedure/model.ts'
import { countFittingEntries, type EntryLimits, IS_LARGE } from '../../document-bytes.ts'
import { process } from '../../table.ts'
import { and, type RowRange, whereInRows, whereProcedure } from './scans.ts'

/** Matches if some processes of a procedure have large documents. This looks for one entry of an index. */
export const whereHasLarge = (procedure: Procedure, rows: RowRange): SQL =>
  sql`EXISTS (SELECT 1 FROM ${process} INDEXED BY process_large WHERE ${and([whereProcedure(procedure), IS_LARGE, ...whereInRows(rows)])})`

/**
 * An expression for LIMIT: `most` entries, or, if their documents are read, as many as fit (`countFittingEntries`). Bytes are
 * summed only if there is a large document.
 */
export const limitEntries = (procedure: Procedure, rows: RowRange, limits: EntryLimits, entries: SQL): SQL =>
  limits.bytesMax === null
    ? sql`${limits.most}`
    : sql`(SELECT iif(${whereHasLarge(procedure, rows)}, ${countFittingEntries(limits, entries)}, ${limits.most}))`
