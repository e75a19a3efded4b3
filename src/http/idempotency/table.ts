import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { jsonb } from '../../db/columns.ts'

/**
 * What a request with an `Idempotency-Key` came to. `no` is the day of the request and 48 bits of the key's hash: no
 * index is needed, and what has expired is a range. It has up to 63 bits, so it is written and compared as text.
 */
export const idempotency = sqliteTable('idempotency', {
  no: integer().primaryKey(),
  team: integer().notNull(),
  lookup: text().notNull(),
  fingerprint: text().notNull(),
  outcome: jsonb().notNull(),
  expiresAt: integer().notNull(),
})
