import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * The older part of a team's log, which is in objects of R2: a row for each. Together they are the beginning of the log
 * without a gap, and what is in one of them has no row in `event`. WITHOUT ROWID, which the migration says and drizzle can't.
 */
export const eventObject = sqliteTable(
  'event_object',
  {
    team: integer().notNull(),
    /** The numbers of the last event in it, and of the first. */
    last: integer().notNull(),
    first: integer().notNull(),
    /** By which its key is told from those of other objects with these events: each time it is written it has another one. */
    no: integer().notNull(),
    bytes: integer().notNull(),
    firstAt: integer().notNull(),
    lastAt: integer().notNull(),
    /** For each day that begins in it, how many events of the team were before: a JSON list of pairs. */
    days: text().notNull(),
    /** What is older than that has expired, and waits for the rest of the object. */
    keptFrom: integer().notNull().default(0),
  },
  table => [primaryKey({ columns: [table.team, table.last] })],
)
