import { readWithin } from '../setting-bounds.ts'
import { DAY_MS, SECOND_MS } from '../time-units.ts'

interface RequestLogSettings {
  /** 0: requests are not collected, and neither is their usage. */
  retentionMs: number
  /** How long an isolate collects. Cloudflare lets it go on for 30 seconds after a response. */
  batchMs: number
  /** The percentage of successful reads that are logged. */
  readsPercent: number
}

const BOUNDS = {
  REQUEST_RETENTION_DAYS: [0, 90],
  REQUEST_BATCH_SECONDS: [0, 25],
  REQUEST_READS_PERCENT: [0, 100],
} as const

/** Ten seconds make few writes of many lines. No installation sets it: `npm start` and tests do, to see lines sooner. */
const BATCHES = { REQUEST_BATCH_SECONDS: '10' }

type Vars = Record<'REQUEST_RETENTION_DAYS' | 'REQUEST_READS_PERCENT', string> & Partial<typeof BATCHES>

export function readRequestLogSettings(vars: Vars): RequestLogSettings {
  const numbers = readWithin({ ...BATCHES, ...vars }, BOUNDS)
  return {
    retentionMs: numbers.REQUEST_RETENTION_DAYS * DAY_MS,
    batchMs: numbers.REQUEST_BATCH_SECONDS * SECOND_MS,
    readsPercent: numbers.REQUEST_READS_PERCENT,
  }
}
