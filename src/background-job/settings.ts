import { readBoundedSettings } from '../setting-bounds.ts'
import { DAY_MS, MINUTE_MS } from '../time-units.ts'

/** A page of results reads whole chunks, and a runner that fails repeats a whole step. */
export const CHUNK_ENTRIES_MAX = 800

/** How jobs are run. No installation could choose better; tests and `npm start` do, by the binding `JOB_TUNING`. */
const TUNING = {
  /** All entries of a chunk are read and written together: a page of results or a step is one or two of them. */
  chunkEntries: CHUNK_ENTRIES_MAX,
  /** So many entries of a job are in rows, which is what fits the database well; those behind them are in objects. */
  rowEntries: 100_000,
  /** However few entries there are, no more of them is in rows. */
  rowBytes: 64_000_000,
  /** What all entries of a job may take as they are stored: names of columns stand in each, so a table becomes many times as large. */
  storedBytesMax: 1_000_000_000,
  /** How much of a job a run slice does, before other jobs have theirs. */
  sliceChunks: 4,
  sliceMs: 10_000,
  /** How many jobs of a team, of one queue, are run at the same time: the next team is never far behind them. */
  teamJobs: 2,
  /** How long a runner waits for the database, the queue or the job's object before it counts the call as failed. */
  timeLimitMs: 20_000,
  /** A job without a sign of life for longer has lost its message, which is sent again. */
  resendAfterMs: 90_000,
}
export type JobTuning = typeof TUNING

/** What an installation may choose, in `[vars]` of wrangler.toml. */
const BOUNDS = {
  JOB_RETENTION_DAYS: [1, 3_650],
  JOB_ARCHIVE_MINUTES: [1, 525_600],
  JOB_PAUSE_DAYS: [1, 365],
  DATABASE_BYTES_MAX: [1_000_000, 1_000_000_000_000],
} as const

export interface JobSettings extends JobTuning {
  retentionMs: number
  /** The entries of a job move to R2 so long after its end. */
  archiveAfterMs: number
  /** A job that is paused for longer ends, with errors. */
  pauseMsMax: number
  /** What the database can hold. */
  databaseBytesMax: number
}

type JobVars = Record<keyof typeof BOUNDS, string> & { JOB_TUNING?: Partial<JobTuning> }

export function readJobSettings(vars: JobVars): JobSettings {
  const numbers = readBoundedSettings<keyof typeof BOUNDS>(vars, BOUNDS)
  return {
    ...TUNING,
    ...vars.JOB_TUNING,
    retentionMs: numbers.JOB_RETENTION_DAYS * DAY_MS,
    archiveAfterMs: numbers.JOB_ARCHIVE_MINUTES * MINUTE_MS,
    pauseMsMax: numbers.JOB_PAUSE_DAYS * DAY_MS,
    databaseBytesMax: numbers.DATABASE_BYTES_MAX,
  }
}
