import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { jsonb } from '../db/columns.ts'

/**
 * The log of a team: what happened, in the order of the transactions. One row holds the events of one type that one
 * statement caused; those of a job's step are one row. History of processes and the event feed are both read from here.
 * WITHOUT ROWID, which the migration says and drizzle can't: one row written for each.
 */
export const event = sqliteTable(
  'event',
  {
    team: integer().notNull(),
    /** The number of the last event in the row: the first one is `sequence - count + 1`. The last row of a team is never removed. */
    sequence: integer().notNull(),
    count: integer().notNull(),
    at: integer().notNull(),
    type: text().notNull(),
    /** The number of the procedure; null where the event is not about a process. */
    proc: integer(),
    /** The `Author` who caused it. */
    by: jsonb().notNull(),
    /** The subject and the values after the change: an object with a member for each event, in their order. */
    after: jsonb().notNull(),
    /** The values before the change, in members of the same names; null where nothing was replaced. */
    before: jsonb(),
  },
  table => [primaryKey({ columns: [table.team, table.sequence] })],
)
