import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * What an erasure of a customer, or a purge of a process, has yet to go through, because it is found by looking at all of
 * it: the log of a process, the deliveries of webhooks, and the jobs. A chore does so in steps, and removes the row last.
 */
export const erasureSweep = sqliteTable('erasure_sweep', {
  // Of the record or process.
  id: text().primaryKey(),
  team: integer().notNull(),
  at: integer().notNull(),
  // By what entries and results of jobs name it: a JSON list of ids, numbers and addresses.
  names: text().notNull(),
  // Of a process: its row number, and the next event whose values are still in the log; null once none is.
  process: integer(),
  event: integer(),
  // The last delivery that was looked at; null once all were.
  webhook: integer(),
  delivery: integer().notNull().default(0),
  // The last job that was looked at, and how many of the entries of the next one.
  job: integer().notNull().default(0),
  entry: integer().notNull().default(0),
})
