import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { jsonb } from '../db/columns.ts'

/**
 * A message: one of ours is written before the provider is asked to send it, one of a customer when the provider tells of
 * it. `rid` is made from the id, as a process's is.
 */
export const message = sqliteTable(
  'message',
  {
    rid: integer().primaryKey(),
    id: text().notNull(),
    team: integer().notNull(),
    plugin: integer().notNull(),
    // The plugin's number that sends or received it, and the version of the provider's API.
    sender: text().notNull(),
    graphVersion: text().notNull(),
    phone: text().notNull(),
    process: text(),
    template: text(),
    dataType: text().notNull(),
    text: text().notNull(),
    // What the provider is sent, but for our id. Of a customer's message: what the provider told of it.
    request: jsonb().notNull(),
    // A place in DELIVERY_STATUSES: it only ever grows.
    delivery: integer().notNull(),
    externalId: text(),
    error: jsonb(),
    // What was learnt of it, in that order: `ledger/history.ts` says how.
    history: jsonb().notNull(),
    user: text().notNull(),
    // The API key by which it was asked for, the job that it is an entry of, or the plugin to which a customer wrote it.
    sourceId: text().notNull(),
    // A job's message has the job and the entry that first asked for it, and its attempt. Retries of the job go on
    // counting, so that an entry is never handed to the provider twice at once.
    job: integer(),
    entry: integer(),
    attempt: integer(),
    resendOf: text(),
    resentAs: text(),
    updatedAt: integer().notNull(),
    // What a customer wrote: `ReceivedColumn` of `received/message.ts`. Null: we wrote it.
    received: jsonb(),
    // The short entries of the history. Null: `history` has all.
    steps: text(),
  },
  table => [
    index('message_process').on(table.team, table.process).where(sql`process IS NOT NULL`),
    index('message_phone').on(table.team, table.phone),
    index('message_external').on(table.externalId).where(sql`external_id IS NOT NULL`),
    index('message_pending').on(table.delivery).where(sql`delivery = 0`),
    uniqueIndex('message_attempt').on(table.job, table.entry, table.attempt).where(sql`job IS NOT NULL`),
  ],
)
