import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { jsonb } from '../db/columns.ts'
import type { JobQueue } from './rules.ts'
import type { JobStatus } from './schema.ts'

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
    completionStatus: text().$type<JobStatus>().notNull(),
    total: integer().notNull(),
    // Counts what runners have written: `guardRevision` makes each write conditional on the one before.
    revision: integer().notNull().default(0),
    // Entries before this one have ended, except those that are unfinished.
    cursor: integer().notNull().default(0),
    // Entries before the cursor that have not ended: a list of `UnfinishedEntries` as JSON.
    unfinished: text().notNull().default('[]'),
    // How many of them are in flight or delayed: a cancelled job waits for them.
    outstanding: integer().notNull().default(0),
    // What is in none of these counts has not started: so they add up to the total at any moment.
    invalid: integer().notNull().default(0),
    inProgress: integer().notNull().default(0),
    // Those in progress stand between the cursor and this place.
    inProgressTo: integer().notNull().default(0),
    success: integer().notNull().default(0),
    error: integer().notNull().default(0),
    cancelled: integer().notNull().default(0),
    // How many entries the last dead letter ended; 0 again once an entry was run.
    giveUpBatchSize: integer().notNull().default(0),
    createdBy: text().notNull(),
    updatedAt: integer().notNull(),
    startedAt: integer().notNull().default(0),
    completedAt: integer().notNull().default(0),
    startAt: integer(),
    retryOf: text(),
    // A retry has here the id of the first job of its chain. By it all retries of that job are found.
    firstJob: text(),
    // A dry run changes nothing, whatever its entries come to.
    isDryRun: integer().notNull().default(0),
    // The id of the dry run that it makes real, and that of the job whose changes it takes back.
    applyOf: text(),
    undoOf: text(),
    // Which entries of the job before it a retry took: a `RetrySelection` as JSON.
    retrySelection: text(),
    // When the job counts as gone silent, and its message is sent again.
    wakeAt: integer().notNull(),
    // What has to work again before the job can go on, what is the matter with it, and since when the job waits.
    pausedBy: integer(),
    pausedBecause: text(),
    pausedAt: integer(),
    // When a restore of the database cancelled it: what it did in the time that is lost is not known.
    interruptedAt: integer(),
    // When the entries of the job, which has ended, were moved to its object in R2.
    archivedAt: integer(),
    // A `Collection` as JSON, while entries are still being found; and the row number down to which was looked.
    collecting: text(),
    collectedTo: integer(),
    // Why it was cancelled, if nobody asked for it.
    cancelledBecause: text(),
    // Which queue carries its messages; null: `jobs`. How many of a team and a queue run at once says `team-concurrency.ts`.
    queue: text().$type<JobQueue>(),
    // A list of `SenderColumn` as JSON: the table as which its results can be sent back. Only their reader needs it.
    columns: text(),
    // A `JobTitle` as JSON: what it does, for people.
    title: text(),
  },
  table => [
    index('background_job_team').on(table.team),
    index('background_job_status').on(table.team, table.completionStatus),
    index('background_job_wake').on(table.wakeAt).where(sql`completed_at = 0`),
    index('background_job_turn')
      .on(table.team, table.queue)
      .where(sql`completed_at = 0 AND completion_status = 'IN_PROGRESS'`),
    // A dry run is applied once.
    uniqueIndex('background_job_apply').on(table.team, table.applyOf).where(sql`apply_of IS NOT NULL`),
    index('background_job_retries').on(table.team, table.firstJob).where(sql`first_job IS NOT NULL`),
    index('background_job_undos').on(table.team, table.undoOf).where(sql`undo_of IS NOT NULL`),
    index('background_job_paused').on(table.pausedBy).where(sql`paused_by IS NOT NULL`),
  ],
)

/** Some hundred entries of a job, in order. Nothing of it changes after the job was accepted. */
export const jobChunk = sqliteTable(
  'job_chunk',
  {
    team: integer().notNull(),
    job: integer().notNull(),
    // The index of its first entry.
    first: integer().notNull(),
    count: integer().notNull(),
    // How many of its entries were invalid at acceptance.
    invalid: integer().notNull(),
    // Read and written whole, so it is plain text. Of a large job a `TextPointer`, as `outcomes` of a row below.
    entries: text().notNull(),
  },
  table => [primaryKey({ columns: [table.team, table.job, table.first] })],
)

/**
 * Outcomes of entries of a chunk: one row for each step, written with the effects of the step. WITHOUT ROWID,
 * which drizzle-kit can't say: it is written into the migration by hand, so that a row is one write.
 */
export const jobOutcome = sqliteTable(
  'job_outcome',
  {
    team: integer().notNull(),
    job: integer().notNull(),
    // The chunk that the entries are in.
    first: integer().notNull(),
    // Where the first of the entries stands in the chunk.
    offset: integer().notNull(),
    invalid: integer().notNull(),
    success: integer().notNull(),
    error: integer().notNull(),
    updatedAt: integer().notNull(),
    // A list of [offset, status, result].
    outcomes: text().notNull(),
  },
  table => [primaryKey({ columns: [table.team, table.job, table.first, table.offset] })],
)

/**
 * Processes as the entries of a dry run would have left them so far: its later entries are decided on that. They are
 * removed when the job has ended. WITHOUT ROWID, as `job_outcome`.
 */
export const dryRunProcess = sqliteTable(
  'dry_run_process',
  {
    team: integer().notNull(),
    job: integer().notNull(),
    rid: integer().notNull(),
    primaryKey: text(),
    // A `ProjectedProcess`.
    row: jsonb().notNull(),
  },
  table => [
    primaryKey({ columns: [table.team, table.job, table.rid] }),
    index('dry_run_process_key').on(table.team, table.job, table.primaryKey).where(sql`primary_key IS NOT NULL`),
  ],
)

/**
 * Jobs whose rows will be removed when they are due: a job that was never accepted in full, or one that is too old. A job with
 * objects has its row here from the beginning, with a time that never comes (`removal.ts`). WITHOUT ROWID, as `job_outcome`.
 */
export const chunkRemoval = sqliteTable(
  'chunk_removal',
  {
    team: integer().notNull(),
    job: integer().notNull(),
    due: integer().notNull(),
    // The key of an object in R2 that is removed as well. If it does not end with `.ndjson`, it is the prefix of all objects of the job.
    object: text(),
  },
  table => [primaryKey({ columns: [table.team, table.job] })],
)
