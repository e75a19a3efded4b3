import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The requests of one team that an isolate has collected, in the order of their responses. WITHOUT ROWID; rows are only appended. */
export const requestBatch = sqliteTable(
  'request_batch',
  {
    team: integer().notNull(),
    // The time of the write. All its requests ended before.
    at: integer().notNull(),
    // A random text, because isolates write at the same time.
    batch: text().notNull(),
    count: integer().notNull(),
    failed: integer().notNull(),
    // A list of `RequestLine`s of `line.ts`.
    lines: text().notNull(),
  },
  table => [primaryKey({ columns: [table.team, table.at, table.batch] })],
)
