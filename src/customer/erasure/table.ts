import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * A customer who was erased and has too many messages or processes for one transaction, or is erased everywhere: the record
 * is gone, a maintenance task erases the rest in steps. The rows go with the last step.
 */
export const recordErasure = sqliteTable(
  'record_erasure',
  {
    record: integer().primaryKey(),
    // The row number of the record whose erasure was asked for, and its id: of somebody who was merged into another
    // customer, that one's.
    erasure: integer().notNull(),
    id: text().notNull(),
    team: integer().notNull(),
    // Who has asked for it, as events keep it.
    by: text().notNull(),
    // Whether the personal attributes of the processes are emptied as well.
    everywhere: integer({ mode: 'boolean' }).notNull().default(false),
    // A JSON list of the numbers whose messages are still to be erased; empty once they are.
    phones: text().notNull(),
    // Messages from this row number on are younger than the erasure: whoever has the number now may have received them.
    before: integer().notNull(),
    // Where a process has many messages: its row number, and the last message that was erased.
    process: integer(),
    message: integer(),
    // The last event of the record whose values are still in the log; null once no event has any.
    event: integer(),
    // Whether the trash is still to be looked through, and the place of the last process there that was looked at.
    trash: integer({ mode: 'boolean' }).notNull().default(false),
    trashProc: integer().notNull().default(0),
    trashAt: integer().notNull().default(0),
    trashRid: integer().notNull().default(0),
    // True if all of this part is erased. Other parts of the customer, and customers merged into them, have rows of their own.
    done: integer({ mode: 'boolean' }).notNull().default(false),
    // What was erased so far.
    processes: integer().notNull().default(0),
    messages: integer().notNull().default(0),
  },
  table => [index('record_erasure_team').on(table.team, table.erasure)],
)
