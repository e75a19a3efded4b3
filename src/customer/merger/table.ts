import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * A customer who was merged into another and has too many processes for one transaction: a maintenance task gives the rest to the
 * other in steps. The row goes with the last step.
 */
export const recordMove = sqliteTable(
  'record_move',
  {
    record: integer().primaryKey(),
    // Whose they are from then on: that customer may be merged into another one, too.
    toRecord: integer().notNull(),
    team: integer().notNull(),
    // Who has merged them, as events keep it.
    by: text().notNull(),
    // What was moved so far; and the messages, which followed their numbers at once.
    processes: integer().notNull().default(0),
    messages: integer().notNull(),
  },
  table => [index('record_move_to').on(table.team, table.toRecord)],
)
