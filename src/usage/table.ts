import { integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core'

/** What the requests of a team took of the installation on a day, as isolates have told it. WITHOUT ROWID. */
export const usageDay = sqliteTable(
  'usage_day',
  {
    team: integer().notNull(),
    // Days since 1970 in UTC, as Cloudflare's bill has them.
    day: integer().notNull(),
    requests: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    rowsRead: integer().notNull().default(0),
    rowsWritten: integer().notNull().default(0),
    // What the statements took of the database, in microseconds.
    databaseMicros: integer().notNull().default(0),
  },
  table => [primaryKey({ columns: [table.team, table.day] })],
)
