import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** A job, found by its id as a process is: `no` is read off the UUIDv7. It is here only once all its entries are. */
export const backgroundJob = sqliteTable(
  'background_job',
  {
    no: integer().primaryKey(),
    id: text().notNull(),
    team: integer().notNull(),
    type: text().notNull(),
    // The id of the procedure that all entries are about; null where they name their own.
    procedure: text(),
    completionStatus: text().notNull(),
    total: integer().notNull(),
    // Counts what runners have written: each write is conditional on the one before.
    step: integer().notNull().default(0),
    // Entries before this one are done, in order, but for those put off.
    cursor: integer().notNull().default(0),
    // Entries that could not be run when it was their turn, each with the time at which they are tried again.
    deferred: text().notNull().default('[]'),
    // What is in none of these has not started: so the counts add up to the total whatever happens.
    invalid: integer().notNull().default(0),
    inProgress: integer().notNull().default(0),
    // Those in progress stand between the cursor and this place.
    inProgressTo: integer().notNull().default(0),
    // How many entries from the cursor on were handed to somebody outside, so that they can be cancelled no more.
    claimed: integer().notNull().default(0),
    success: integer().notNull().default(0),
    error: integer().notNull().default(0),
    cancelled: integer().notNull().default(0),
    // How many entries the last dead letter ended; 0 again once an entry was run.
    givenUp: integer().notNull().default(0),
    createdBy: text().notNull(),
    updatedAt: integer().notNull(),
    startedAt: integer().notNull().default(0),
    completedAt: integer().notNull().default(0),
    startAt: integer(),
    retryOf: text(),
    // When the job counts as gone silent, and its message is sent again.
    wakeAt: integer().notNull(),
    // The plugin that has to send again before the job can go on, and what is the matter with it.
    pausedBy: integer(),
    pausedBecause: text(),
  },
  table => [
    index('background_job_team').on(table.team),
    index('background_job_status').on(table.team, table.completionStatus),
    index('background_job_wake').on(table.wakeAt).where(sql`completed_at = 0`),
    index('background_job_paused').on(table.pausedBy).where(sql`paused_by IS NOT NULL`),
  ],
)

/** Some hundred entries of a job, in order, and what became of them. Read and written whole, so they are plain text. */
export const jobChunk = sqliteTable(
  'job_chunk',
  {
    job: integer().notNull(),
    first: integer().notNull(),
    count: integer().notNull(),
    invalid: integer().notNull(),
    success: integer().notNull().default(0),
    error: integer().notNull().default(0),
    updatedAt: integer().notNull(),
    entries: text().notNull(),
    // As many as are done, in the order of the entries.
    outcomes: text(),
  },
  table => [primaryKey({ columns: [table.job, table.first] })],
)

/** Jobs whose chunks are to be removed once it is time: an acceptance that never came to its end, or a job too old. */
export const chunkRemoval = sqliteTable('chunk_removal', {
  job: integer().primaryKey(),
  due: integer().notNull(),
})
