import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * The older part of a team's log, which is in objects of R2: a row for each. Together they are the beginning of the log
 * without a gap, and what is in one of them has no row in `event`. WITHOUT ROWID, which the migration says and drizzle can't.
 */
export const eventObject = sqliteTable(
  'event_object',
  {
    team: integer().notNull(),
    /** The numbers of the last and of the first event in the R2 object. */
    last: integer().notNull(),
    first: integer().notNull(),
    /** A number of this writing, which makes its key differ from those of earlier R2 objects with these events. */
    no: integer().notNull(),
    bytes: integer().notNull(),
    firstAt: integer().notNull(),
    lastAt: integer().notNull(),
    /** For each day that begins in the R2 object, the number of the team's events before: a JSON list of pairs. */
    days: text().notNull(),
    /** Events before this time have expired, and wait for the rest of the R2 object. */
    keptFrom: integer().notNull().default(0),
  },
  table => [primaryKey({ columns: [table.team, table.last] })],
)
