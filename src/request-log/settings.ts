import { readBoundedSettings } from '../setting-bounds.ts'
import { DAY_MS } from '../time-units.ts'

/** Values that no installation could choose better. Tests and `npm start` change them, to see lines sooner, by the binding `REQUEST_LOG_TUNING`. */
const TUNING = {
  /** The time for which an isolate collects: ten seconds make few writes of many lines. Cloudflare lets it go on for 30 after a response. */
  batchMs: 10_000,
}
type RequestLogTuning = typeof TUNING

interface RequestLogSettings extends RequestLogTuning {
  /** 0 if requests are not collected. Then neither is their usage. */
  retentionMs: number
  /** The percentage of successful reads that are logged. */
  readsPercent: number
}

const BOUNDS = {
  REQUEST_RETENTION_DAYS: [0, 90],
  REQUEST_READS_PERCENT: [0, 100],
} as const

type Vars = Record<keyof typeof BOUNDS, string> & { REQUEST_LOG_TUNING?: Partial<RequestLogTuning> }

export function readRequestLogSettings(vars: Vars): RequestLogSettings {
  const numbers = readBoundedSettings<keyof typeof BOUNDS>(vars, BOUNDS)
  return {
    ...TUNING,
    ...vars.REQUEST_LOG_TUNING,
    retentionMs: numbers.REQUEST_RETENTION_DAYS * DAY_MS,
    readsPercent: numbers.REQUEST_READS_PERCENT,
  }
}
