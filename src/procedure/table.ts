import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { jsonb } from '../db/columns.ts'

export const procedure = sqliteTable(
  'procedure',
  {
    no: integer().primaryKey(),
    id: text().notNull().unique(),
    team: integer().notNull(),
    shortId: text().notNull(),
    // Counts up with every change. A statement that relied on an older definition notices by this number.
    version: integer().notNull(),
    // Name, states, attributes, and which slot column serves which indexed attribute.
    definition: jsonb().notNull(),
    // Where an index build has come to, newest first: processes below this are still to be filled in. Null: none is due.
    indexingBelow: integer(),
    // One bit for each slot column in which the build has found a value that can not be indexed.
    unfitSlots: integer().notNull().default(0),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  table => [
    uniqueIndex('procedure_short_id').on(table.team, table.shortId),
    index('procedure_indexing').on(table.indexingBelow).where(sql`indexing_below IS NOT NULL`),
  ],
)
