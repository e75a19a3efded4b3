import { readWithin } from '../setting-bounds.ts'
import { DAY_MS, MINUTE_MS } from '../time-units.ts'

/** How jobs are run and kept: what an installation may choose stands in `[vars]` of wrangler.toml, the rest in `TUNING`. */
export interface JobSettings {
  chunkEntries: number
  turnChunks: number
  turnMs: number
  /** How many jobs of a team, of one queue, are run at the same time. */
  teamJobs: number
  timeLimitMs: number
  resendAfterMs: number
  retentionMs: number
  /** The entries of a job move to R2 so long after its end. */
  archiveAfterMs: number
  /** What the database can hold. */
  databaseBytesMax: number
  /** A job that is paused for longer ends, with errors. */
  pauseMsMax: number
}

/** A page of results reads whole chunks, and a runner that fails repeats a whole step. */
export const CHUNK_ENTRIES_MAX = 800

/** Each setting with its bounds: a job that is run outside of them may never end. */
const BOUNDS = {
  JOB_CHUNK_ENTRIES: [1, CHUNK_ENTRIES_MAX],
  JOB_TURN_CHUNKS: [1, 100],
  JOB_TURN_MS: [10, 60_000],
  JOB_TEAM_JOBS: [1, 1_000],
  JOB_PATIENCE_MS: [100, 60_000],
  JOB_SILENCE_MS: [1_000, 3_600_000],
  JOB_RETENTION_DAYS: [1, 3_650],
  JOB_ARCHIVE_MINUTES: [1, 525_600],
  JOB_PAUSE_DAYS: [1, 365],
  DATABASE_BYTES_MAX: [1_000_000, 1_000_000_000_000],
} as const

/** What nobody outside could choose better: no installation sets them. Tests do, for small steps and short waits. */
const TUNING = {
  // All entries of a chunk are read and written together: a page of results or a step is one or two of them.
  JOB_CHUNK_ENTRIES: String(CHUNK_ENTRIES_MAX),
  // How much of a job a run slice does, before other jobs have theirs.
  JOB_TURN_CHUNKS: '4',
  JOB_TURN_MS: '10000',
  // A team's small jobs have as many, and its others too, so that they are never between another team and its turn.
  JOB_TEAM_JOBS: '2',
  // How long a runner waits for the database, the queue or the job's object before it counts the call as failed.
  JOB_PATIENCE_MS: '20000',
  // A job without a sign of life for longer has lost its message, which is sent again.
  JOB_SILENCE_MS: '90000',
}

type Setting = Exclude<keyof typeof BOUNDS, keyof typeof TUNING>
export type JobVars = Record<Setting, string> & Partial<typeof TUNING>

export function readJobSettings(vars: JobVars): JobSettings {
  const numbers = readWithin({ ...TUNING, ...vars }, BOUNDS)
  return {
    chunkEntries: numbers.JOB_CHUNK_ENTRIES,
    turnChunks: numbers.JOB_TURN_CHUNKS,
    turnMs: numbers.JOB_TURN_MS,
    teamJobs: numbers.JOB_TEAM_JOBS,
    timeLimitMs: numbers.JOB_PATIENCE_MS,
    resendAfterMs: numbers.JOB_SILENCE_MS,
    retentionMs: numbers.JOB_RETENTION_DAYS * DAY_MS,
    archiveAfterMs: numbers.JOB_ARCHIVE_MINUTES * MINUTE_MS,
    databaseBytesMax: numbers.DATABASE_BYTES_MAX,
    pauseMsMax: numbers.JOB_PAUSE_DAYS * DAY_MS,
  }
}
