import { sql } from 'drizzle-orm'
import { type Statement, select } from '../db/statement.ts'
import { DAY_MS } from '../time-units.ts'
import { erasedIdentity } from './table.ts'

/** The provider repeats what was not accepted for so long. */
const PROVIDER_REPEATS_MS = 7 * DAY_MS
/** `scripts/installation/resources.ts` has each queue retain a message for so long. */
const QUEUE_MS = 14 * DAY_MS

/** The retention of a tombstone: a report comes late, waits for the end of a pause, and waits once more as a dead letter. */
export const TOMBSTONE_MS = PROVIDER_REPEATS_MS + 2 * QUEUE_MS

/** Selects when the newest tombstone from before a time was made; null: there is none. */
export const selectNewestTombstone = (before: number): Statement<{ at: number | null }> =>
  select(
    { at: sql<number | null>`max(${erasedIdentity.erasedAt})` },
    sql`FROM ${erasedIdentity} WHERE ${erasedIdentity.erasedAt} < ${before}`,
  )
