/** What an installation may want to change: `[vars]` of wrangler.toml. */
export interface JobSettings {
  chunkEntries: number
  turnChunks: number
  turnMs: number
  patienceMs: number
  silenceMs: number
  retentionMs: number
}

const DAY_MS = 24 * 60 * 60 * 1000

type Vars = Record<
  'JOB_CHUNK_ENTRIES' | 'JOB_TURN_CHUNKS' | 'JOB_TURN_MS' | 'JOB_PATIENCE_MS' | 'JOB_SILENCE_MS' | 'JOB_RETENTION_DAYS',
  string
>

export const settingsOf = (vars: Vars): JobSettings => ({
  chunkEntries: positive(vars.JOB_CHUNK_ENTRIES, 'JOB_CHUNK_ENTRIES', CHUNK_ENTRIES_MAX),
  turnChunks: positive(vars.JOB_TURN_CHUNKS, 'JOB_TURN_CHUNKS'),
  turnMs: positive(vars.JOB_TURN_MS, 'JOB_TURN_MS'),
  patienceMs: positive(vars.JOB_PATIENCE_MS, 'JOB_PATIENCE_MS'),
  silenceMs: positive(vars.JOB_SILENCE_MS, 'JOB_SILENCE_MS'),
  retentionMs: positive(vars.JOB_RETENTION_DAYS, 'JOB_RETENTION_DAYS') * DAY_MS,
})

/** A chunk's new processes take consecutive row numbers of one millisecond, which has 4,096; and a row has 2 MB. */
export const CHUNK_ENTRIES_MAX = 1_000

function positive(value: string, name: string, max = Number.MAX_SAFE_INTEGER): number {
  const number = Number(value)
  if (!(number > 0 && number <= max)) throw new Error(`the setting ${name} must be a number from 1 to ${max}`)
  return number
}
