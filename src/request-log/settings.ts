import { problemsWithin } from '../setting-bounds.ts'
import { DAY_MS } from '../time-units.ts'

export interface RequestLogSettings {
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

export function readRequestLogSettings(vars: Record<keyof typeof BOUNDS, string>): RequestLogSettings {
  const problems = problemsWithin(vars, BOUNDS)
  if (problems.length > 0) throw new Error(problems.join('; '))
  return {
    retentionMs: Number(vars.REQUEST_RETENTION_DAYS) * DAY_MS,
    batchMs: Number(vars.REQUEST_BATCH_SECONDS) * 1000,
    readsPercent: Number(vars.REQUEST_READS_PERCENT),
  }
}
