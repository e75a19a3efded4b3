import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The phone numbers that asked a team not to be written to. One that may be written to again stays, with the time. */
export const optOut = sqliteTable(
  'opt_out',
  {
    team: integer().notNull(),
    phone: text().notNull(),
    since: integer().notNull(),
    // The message whose refusal told of it.
    message: text().notNull(),
    endedAt: integer(),
  },
  table => [primaryKey({ columns: [table.team, table.phone] })],
)
