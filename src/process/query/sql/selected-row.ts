import { type SQL, sql } from 'drizzle-orm'
import { listedProcess, selectListedUpTo } from '../../rows/members.ts'
import { process } from '../../table.ts'

/** The bytes of a row that a statement returns with hundreds of others. Of longer ones it tells the length, and they are read alone. */
const SHORT_ROW_BYTES_MAX = 10_000

/**
 * The part of each match that a statement returns: the process as `listedProcess` selects it if it is short, the same at any length,
 * its id, or only its position.
 */
export type SelectedRow = 'process' | 'whole process' | 'id' | 'position'

/** The column `row` of each kind. */
export const SELECTED_ROWS: Record<SelectedRow, SQL> = {
  process: sql`${selectListedUpTo(SHORT_ROW_BYTES_MAX)} AS row`,
  'whole process': sql`${listedProcess} AS row`,
  id: sql`${process.id} AS row`,
  position: sql`NULL AS row`,
}
