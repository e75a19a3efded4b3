import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * What an erasure of a customer, or a purge of a process, has yet to go through, because it is found by looking at all of
 * it: the log of a process, the deliveries of webhooks, and the jobs. A maintenance task does so in steps, and removes the row last.
 */
export const erasureSweep = sqliteTable(
  'erasure_sweep',
  {
    // The id of the record or process.
    id: text().primaryKey(),
    team: integer().notNull(),
    at: integer().notNull(),
    // By what entries and results of jobs name it: a JSON list of ids, numbers and addresses.
    names: text().notNull(),
    // The row number of a customer who is erased everywhere. Jobs are swept once the processes are listed.
    erasure: integer(),
    // The row number of a process, and the next event whose values are still in the log; null once none is.
    process: integer(),
    event: integer(),
    // The last delivery that was looked at; null once all were.
    webhook: integer(),
    delivery: integer().notNull().default(0),
    // The last job that was accepted before.
    lastJob: integer().notNull(),
    // The last job that was looked at, and how many of the entries of the next one.
    job: integer().notNull().default(0),
    entry: integer().notNull().default(0),
  },
  table => [index('erasure_sweep_team').on(table.team, table.id)],
)

/**
 * The processes of a customer who is erased everywhere: they were emptied, and what history and jobs have of them is looked
 * for. The rows go with the last step of all. WITHOUT ROWID.
 */
export const erasedProcess = sqliteTable(
  'erased_process',
  {
    // The row number of the record whose erasure was asked for.
    erasure: integer().notNull(),
    process: integer().notNull(),
    team: integer().notNull(),
    proc: integer().notNull(),
    // Its primary key: entries of jobs may name it by that.
    key: text(),
    // The next event whose values are still in the log; null once none is.
    event: integer(),
  },
  table => [
    primaryKey({ columns: [table.team, table.erasure, table.process] }),
    index('erased_process_event').on(table.team, table.erasure, table.event).where(sql`event IS NOT NULL`),
    index('erased_process_key').on(table.team, table.erasure, table.proc, table.key).where(sql`key IS NOT NULL`),
  ],
)
