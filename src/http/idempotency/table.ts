import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { jsonb } from '../../db/columns.ts'

/**
 * The outcomes of requests with an `Idempotency-Key`. A key is looked for by its hash and the day of the request, and a
 * team's expired records are a range. WITHOUT ROWID, so that a record is one write.
 */
export const idempotency = sqliteTable(
  'idempotency',
  {
    team: integer().notNull(),
    // Days since 1970.
    day: integer().notNull(),
    // 128 bits of a hash, as bytes. The fingerprint is the same.
    lookup: text().notNull(),
    fingerprint: text().notNull(),
    outcome: jsonb().notNull(),
    expiresAt: integer().notNull(),
  },
  table => [primaryKey({ columns: [table.team, table.day, table.lookup] })],
)
