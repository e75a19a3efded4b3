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
    // Counts up with every change. A statement that relied on an older definition notices it by this number.
    version: integer().notNull(),
    // The name, states and attributes, and the slot column of each indexed attribute.
    definition: jsonb().notNull(),
    // The progress of an index build, newest first: processes below this are still to be filled in. Null if no build is due.
    indexingBelow: integer(),
    // A bit for each slot column in which the build has found a value that cannot be indexed.
    unfitSlots: integer().notNull().default(0),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  table => [
    uniqueIndex('procedure_short_id').on(table.team, table.shortId),
    index('procedure_indexing').on(table.indexingBelow).where(sql`indexing_below IS NOT NULL`),
  ],
)
