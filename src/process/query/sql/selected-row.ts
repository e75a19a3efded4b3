import { type SQL, sql } from 'drizzle-orm'
import { listedProcess } from '../../rows/members.ts'
import { process } from '../../table.ts'

/** A stream reads hundreds of rows at once: of longer ones it is told the length, and reads them by themselves. */
const SHORT_ROW_LENGTH_MAX = 10_000

/**
 * What a statement returns of each match: the process as `listedProcess` has it, the same if it is short, its id, or only
 * where it stands.
 */
export type SelectedRow = 'process' | 'short process' | 'id' | 'position'

/** As the column `row`. */
export const SELECTED_ROWS: Record<SelectedRow, SQL> = {
  process: sql`${listedProcess} AS row`,
  // A subquery without FROM is computed once, however often its column is named.
  'short process': sql`(SELECT iif(length(text) <= ${sql.raw(String(SHORT_ROW_LENGTH_MAX))}, text, CAST(length(text) AS TEXT)) FROM (SELECT ${listedProcess} AS text)) AS row`,
  id: sql`${process.id} AS row`,
  position: sql`NULL AS row`,
}
