import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * A customer who was erased and has too many messages or processes for one transaction: the record is gone, a chore erases
 * the rest in steps. The row goes with the last step.
 */
export const recordErasure = sqliteTable(
  'record_erasure',
  {
    record: integer().primaryKey(),
    // By which the erasure was asked for: of somebody who was merged into another customer, that one's.
    id: text().notNull(),
    team: integer().notNull(),
    // A JSON list of the numbers whose messages are still to be erased; empty once they are.
    phones: text().notNull(),
    // Messages from this row number on are younger than the erasure: whoever has the number now may have received them.
    before: integer().notNull(),
    // Of a process with many messages: which one, and the last message that was erased.
    process: integer(),
    message: integer(),
    // The last event of the record whose values are still in the log; null once no event has any.
    event: integer(),
    // What was erased so far.
    processes: integer().notNull().default(0),
    messages: integer().notNull().default(0),
  },
  table => [index('record_erasure_id').on(table.id)],
)
