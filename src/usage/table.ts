import { integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core'

/** The usage of a team's requests on a day, as isolates have reported it. WITHOUT ROWID. */
export const usageDay = sqliteTable(
  'usage_day',
  {
    team: integer().notNull(),
    // Days since 1970 in UTC, as in Cloudflare's bill.
    day: integer().notNull(),
    requests: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    rowsRead: integer().notNull().default(0),
    rowsWritten: integer().notNull().default(0),
    // The time of the statements in the database, in microseconds.
    databaseMicros: integer().notNull().default(0),
  },
  table => [primaryKey({ columns: [table.team, table.day] })],
)
