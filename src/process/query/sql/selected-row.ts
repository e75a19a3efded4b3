import { type SQL, sql } from 'drizzle-orm'
import { listedProcess } from '../../rows/members.ts'
import { process } from '../../table.ts'

/** What a statement returns of each match: the process as `listedProcess` has it, its id, or only where it stands. */
export type SelectedRow = 'process' | 'id' | 'position'

/** As the column `row`. */
export const SELECTED_ROWS: Record<SelectedRow, SQL> = {
  process: sql`${listedProcess} AS row`,
  id: sql`${process.id} AS row`,
  position: sql`NULL AS row`,
}
