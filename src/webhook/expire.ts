import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Db } from '../db/client.ts'
import { type Statement, select, statement } from '../db/statement.ts'
import { REMOVED_BYTES_MAX, selectWithinBytes } from '../db/within-bytes.ts'
import { createDailyWalk, type MaintenanceTask } from '../maintenance-task.ts'
import { DAY_MS } from '../time-units.ts'
import { webhook, webhookDelivery, webhookProgress, webhookReplay } from './table.ts'

const WEBHOOKS_PER_STEP = 20
const ROWS_PER_WEBHOOK = 200
/** Attempts are kept as long as the feed shows events. */
const RETENTION_MS = 30 * DAY_MS

interface WalkedWebhook {
  no: number
  isRemoved: number
  /** The number of the oldest row, and its time. */
  first: number | null
  at: number | null
}

/** Removes old attempts, and all that removed endpoints have left, in a daily walk: there is no index by time. */
export const createDeliveryExpiryTask = (db: () => Db, now: number): MaintenanceTask =>
  createDailyWalk({ name: 'expire deliveries', db, now }, async after => {
    const [webhooks] = await db().read(selectWebhooksAfter(Number(after)))
    const cutoff = now - RETENTION_MS
    const isOld = ({ at, isRemoved }: WalkedWebhook) => at !== null && (isRemoved === 1 || at < cutoff)
    const old = webhooks.filter(isOld)
    const gone = webhooks.filter(({ isRemoved, first }) => isRemoved === 1 && first === null).map(({ no }) => no)
    return {
      effect: [
        ...old.map(each => removeDeliveries(each, cutoff)),
        ...[webhookReplay.webhook, webhookProgress.webhook, webhook.no].map(column => removeByNumber(column, gone)),
      ],
      // The same endpoints are next while they have rows left.
      next: old.length > 0 ? after : (webhooks.at(-1)?.no.toString() ?? null),
    }
  })

const selectWebhooksAfter = (after: number): Statement<WalkedWebhook> => {
  const first = sql<number | null>`(SELECT min(${webhookDelivery.number}) FROM ${webhookDelivery}
    WHERE ${webhookDelivery.webhook} = ${webhook.no})`
  const at = sql<number | null>`(SELECT ${webhookDelivery.at} FROM ${webhookDelivery}
    WHERE ${webhookDelivery.webhook} = ${webhook.no} ORDER BY ${webhookDelivery.number} LIMIT 1)`
  return select(
    { no: webhook.no, isRemoved: sql<number>`${webhook.deletedAt} IS NOT NULL`, first, at },
    sql`FROM ${webhook} WHERE ${webhook.no} > ${after} ORDER BY ${webhook.no} LIMIT ${WEBHOOKS_PER_STEP}`,
  )
}

const removeDeliveries = ({ no, first, isRemoved }: WalkedWebhook, cutoff: number): Statement =>
  statement(
    sql`DELETE FROM ${webhookDelivery} WHERE ${webhookDelivery.webhook} = ${no} AND ${webhookDelivery.number} IN (${selectWithinBytes(
      { key: sql`number`, bytesMax: REMOVED_BYTES_MAX / WEBHOOKS_PER_STEP },
      sql`SELECT ${webhookDelivery.number} AS number, octet_length(${webhookDelivery.attempts}) AS bytes FROM ${webhookDelivery}
      WHERE ${webhookDelivery.webhook} = ${no} AND ${webhookDelivery.number} < ${(first ?? 0) + ROWS_PER_WEBHOOK}
        AND (${isRemoved} OR ${webhookDelivery.at} < ${cutoff})`,
    )})`,
  )

const removeByNumber = (column: SQLiteColumn, numbers: readonly number[]): Statement =>
  statement(sql`DELETE FROM ${column.table} WHERE ${column} IN ${selectNumbers(numbers)}`)

const selectNumbers = (numbers: readonly number[]): SQL =>
  sql`(SELECT value FROM json_each(${JSON.stringify(numbers)}))`
