import { type SQL, sql } from 'drizzle-orm'
import { backgroundJob as job } from '../../background-job/table.ts'
import type { Db } from '../../db/client.ts'
import { fields, type Statement, select, statement } from '../../db/statement.ts'
import { REMOVED_BYTES_MAX, selectWithinBytes } from '../../db/within-bytes.ts'
import { getFirstRid, readCreatedAt } from '../../ids.ts'
import { BACKLOG_COUNT_MAX, type Backlog, createRepeatedWrite, type MaintenanceTask } from '../../maintenance-task.ts'
import { message } from '../table.ts'

const MESSAGES_PER_STEP = 2_000

/**
 * Removes old messages. Those of a job that has not ended stay: without them its entries would be sent again. An entry of
 * a retry, whose messages may be gone, is refused by `isForgotten` of `message/bulk/attempt-rules.ts`.
 */
export const createMessageExpiryTask = (db: () => Db, retentionMs: number, now: number): MaintenanceTask => ({
  ...createRepeatedWrite(db, () => [removeExpiredMessages(now - retentionMs)]),
  async backlog() {
    const [[backlog]] = await db().read(selectExpiredCount(now - retentionMs))
    return {
      left: backlog?.left ?? 0,
      dueSince: backlog?.rid == null ? null : readCreatedAt(backlog.rid) + retentionMs,
    }
  },
})

/** A range of the primary key. */
const whereExpired = (cutoff: number): SQL => sql`${message.rid} < ${getFirstRid(cutoff)}
  AND NOT EXISTS (SELECT 1 FROM ${job} WHERE ${job.no} = ${message.job} AND ${job.completedAt} = 0)`

const removeExpiredMessages = (cutoff: number): Statement =>
  statement(
    sql`DELETE FROM ${message} WHERE ${message.rid} IN (${selectWithinBytes(
      { key: sql`rid`, bytesMax: REMOVED_BYTES_MAX },
      sql`SELECT ${fields({ rid: message.rid, bytes: ROW_BYTES })} FROM ${message} WHERE ${whereExpired(cutoff)}
      ORDER BY ${message.rid} LIMIT ${MESSAGES_PER_STEP}`,
    )})`,
  )

const ROW_BYTES = sql`octet_length(${message.text}) + octet_length(${message.request}) + octet_length(${message.history})
  + ifnull(octet_length(${message.steps}), 0) + ifnull(octet_length(${message.received}), 0)`

const selectExpiredCount = (cutoff: number): Statement<Pick<Backlog, 'left'> & { rid: number | null }> =>
  select(
    { left: sql<number>`count(*)`, rid: sql<number | null>`min(rid)` },
    sql`FROM (SELECT ${message.rid} AS rid FROM ${message} WHERE ${whereExpired(cutoff)} LIMIT ${BACKLOG_COUNT_MAX})`,
  )
