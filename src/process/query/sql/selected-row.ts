import { type SQL, sql } from 'drizzle-orm'
import { listedProcess, listedUpTo } from '../../rows/members.ts'
import { process } from '../../table.ts'

/** A statement reads hundreds of rows at once: of longer ones it tells the length, and they are read by themselves. */
const SHORT_ROW_BYTES_MAX = 10_000

/**
 * What a statement returns of each match: the process as `listedProcess` has it if it is short, the same whatever its
 * length, its id, or only where it stands.
 */
export type SelectedRow = 'process' | 'whole process' | 'id' | 'position'

/** As the column `row`. */
export const SELECTED_ROWS: Record<SelectedRow, SQL> = {
  process: sql`${listedUpTo(SHORT_ROW_BYTES_MAX)} AS row`,
  'whole process': sql`${listedProcess} AS row`,
  id: sql`${process.id} AS row`,
  position: sql`NULL AS row`,
}
