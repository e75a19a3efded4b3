import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Requests that an isolate has collected of one team, in the order in which they were answered. WITHOUT ROWID; appended only. */
export const requestBatch = sqliteTable(
  'request_batch',
  {
    team: integer().notNull(),
    // When it was written: all its requests were answered before.
    at: integer().notNull(),
    // Random: isolates write at the same time.
    batch: text().notNull(),
    count: integer().notNull(),
    failed: integer().notNull(),
    // A list of `RequestLine`s of `line.ts`.
    lines: text().notNull(),
  },
  table => [primaryKey({ columns: [table.team, table.at, table.batch] })],
)
