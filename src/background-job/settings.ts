import { problemsWithin } from '../setting-bounds.ts'
import { DAY_MS, MINUTE_MS } from '../time-units.ts'

/** What an installation may want to change: `[vars]` of wrangler.toml. */
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

type Name = keyof typeof BOUNDS
export type JobVars = Record<Name, string>

/** Throws where any of the settings can not be used, and names all of these. */
export function readJobSettings(vars: JobVars): JobSettings {
  const problems = problemsWithin(vars, BOUNDS)
  if (problems.length > 0) throw new Error(problems.join('; '))
  const read = (name: Name): number => Number(vars[name])
  return {
    chunkEntries: read('JOB_CHUNK_ENTRIES'),
    turnChunks: read('JOB_TURN_CHUNKS'),
    turnMs: read('JOB_TURN_MS'),
    teamJobs: read('JOB_TEAM_JOBS'),
    timeLimitMs: read('JOB_PATIENCE_MS'),
    resendAfterMs: read('JOB_SILENCE_MS'),
    retentionMs: read('JOB_RETENTION_DAYS') * DAY_MS,
    archiveAfterMs: read('JOB_ARCHIVE_MINUTES') * MINUTE_MS,
    databaseBytesMax: read('DATABASE_BYTES_MAX'),
    pauseMsMax: read('JOB_PAUSE_DAYS') * DAY_MS,
  }
}
