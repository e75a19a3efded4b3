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

export function settingsOf(vars: Vars): JobSettings {
  const problems: string[] = []
  const positive = (name: keyof Vars, max = Number.MAX_SAFE_INTEGER): number => {
    const number = Number(vars[name])
    if (!(number > 0 && number <= max)) problems.push(`the setting ${name} must be a number from 1 to ${max}`)
    return number
  }
  const settings = {
    chunkEntries: positive('JOB_CHUNK_ENTRIES', CHUNK_ENTRIES_MAX),
    turnChunks: positive('JOB_TURN_CHUNKS'),
    turnMs: positive('JOB_TURN_MS'),
    patienceMs: positive('JOB_PATIENCE_MS'),
    silenceMs: positive('JOB_SILENCE_MS'),
    retentionMs: positive('JOB_RETENTION_DAYS') * DAY_MS,
  }
  if (problems.length > 0) throw new Error(problems.join('; '))
  return settings
}

/** A chunk's new processes take consecutive row numbers of one millisecond, which has 4,096; and a row has 2 MB. */
export const CHUNK_ENTRIES_MAX = 1_000
