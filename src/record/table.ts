import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { jsonb } from '../db/columns.ts'

/** The customer a process is for. Phone number and e-mail address are kept apart, normalised, to be found by. */
export const record = sqliteTable(
  'record',
  {
    rid: integer().primaryKey(),
    id: text().notNull(),
    team: integer().notNull(),
    phone: text(),
    email: text(),
    data: jsonb().notNull(),
    version: integer().notNull().default(1),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  table => [
    index('record_phone').on(table.team, table.phone).where(sql`phone IS NOT NULL`),
    index('record_email').on(table.team, table.email).where(sql`email IS NOT NULL`),
  ],
)
