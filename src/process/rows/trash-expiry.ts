import { sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { type Statement, select, statement } from '../../db/statement.ts'
import { REMOVED_BYTES_MAX, selectWithinBytes } from '../../db/within-bytes.ts'
import { getFirstRid } from '../../ids.ts'
import { createDailyWalk, type MaintenanceTask } from '../../maintenance-task.ts'
import { processTrash as trash } from '../table.ts'

const ROWS_PER_STEP = 2_000

/**
 * Removes processes that were deleted longer ago than the retention. The trash is in the order in which processes were made,
 * not deleted, so a daily walk reads each row; an index would write each.
 */
export const createTrashExpiryTask = (db: () => Db, retentionMs: number, now: number): MaintenanceTask =>
  createDailyWalk({ name: 'empty the trash', db, now }, async after => {
    const range = { after: Number(after), cutoff: now - retentionMs }
    const [[page]] = await db().read(selectPage(range))
    const last = page?.last ?? null
    return last === null ? { next: null } : { effect: [removeDeleted({ ...range, last })], next: String(last) }
  })

interface TrashRange {
  after: number
  cutoff: number
}

/**
 * Selects the end of the next page; null if nothing is left that can have been deleted before the cutoff. Rows deleted
 * later stay, so their bytes do not count.
 */
const selectPage = ({ after, cutoff }: TrashRange): Statement<{ last: number | null }> =>
  select(
    { last: sql<number | null>`max(rid)` },
    sql`FROM (${selectWithinBytes(
      { key: sql`rid`, bytesMax: REMOVED_BYTES_MAX },
      sql`SELECT ${trash.rid} AS rid, iif(${trash.deletedAt} < ${cutoff}, octet_length(${trash.row}), 0) AS bytes FROM ${trash}
        WHERE ${trash.rid} > ${after} AND ${trash.rid} < ${getFirstRid(cutoff)} ORDER BY ${trash.rid} LIMIT ${ROWS_PER_STEP}`,
    )})`,
  )

const removeDeleted = ({ after, last, cutoff }: TrashRange & { last: number }): Statement =>
  statement(sql`DELETE FROM ${trash}
    WHERE ${trash.rid} > ${after} AND ${trash.rid} <= ${last} AND ${trash.deletedAt} < ${cutoff}`)
