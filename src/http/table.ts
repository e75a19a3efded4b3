import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { jsonb } from '../db/columns.ts'

/** What became of a request that carried an `Idempotency-Key`. `no` is cut from the key's hash: no index is needed. */
export const idempotency = sqliteTable('idempotency', {
  no: integer().primaryKey(),
  lookup: text().notNull(),
  fingerprint: text().notNull(),
  // Empty while the request is still running.
  outcome: jsonb(),
  expiresAt: integer().notNull(),
})
