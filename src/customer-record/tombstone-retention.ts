import { sql } from 'drizzle-orm'
import { type Statement, select } from '../db/statement.ts'
import { DAY_MS } from '../time-units.ts'
import { erasedIdentity } from './table.ts'

/** The retention of a tombstone: the provider repeats what was not accepted for 7 days, and a queue retains a message for 4. */
export const TOMBSTONE_MS = 14 * DAY_MS

/** Selects when the newest tombstone from before a time was made; null: there is none. */
export const selectNewestTombstone = (before: number): Statement<{ at: number | null }> =>
  select(
    { at: sql<number | null>`max(${erasedIdentity.erasedAt})` },
    sql`FROM ${erasedIdentity} WHERE ${erasedIdentity.erasedAt} < ${before}`,
  )
