import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * A move of processes after the merge of a customer who has too many for one transaction. A maintenance task carries it out
 * in steps, and the last step removes the row.
 */
export const recordMove = sqliteTable(
  'record_move',
  {
    record: integer().primaryKey(),
    // The survivor, who gets the processes, and may be merged into another one, too.
    toRecord: integer().notNull(),
    team: integer().notNull(),
    // The author of the merge, as events store it.
    by: text().notNull(),
    // The processes that were moved so far; and the messages, which followed their numbers at once.
    processes: integer().notNull().default(0),
    messages: integer().notNull(),
  },
  table => [index('record_move_to').on(table.team, table.toRecord)],
)
