import { listBoundsProblems } from '../setting-bounds.ts'
import { DAY_MS } from '../time-units.ts'

/** The ages up to which history reads the log, the feed shows it, and the database holds it. */
interface LogRetention {
  historyMs: number
  feedMs: number
  recentMs: number
  /** At this age an event is removed everywhere. One in R2 is removed with the object that it is in. */
  removedMs: number
}

/** `FAILING_MS_MAX` of `webhook/delivery-rules.ts`: what a webhook has not got until then must be there. */
const WEBHOOK_DAYS = 5
/** An R2 object has the events of a month at most. */
const OBJECT_MS_MAX = 31 * DAY_MS
const BOUNDS = {
  HISTORY_RECENT_DAYS: [1, 3_650],
  HISTORY_RETENTION_DAYS: [WEBHOOK_DAYS, 3_650],
  EVENT_RETENTION_DAYS: [1, 3_650],
} as const

/** Throws if a setting cannot be used. Feed and webhooks read the database alone, so it holds what they may still need. */
export function readLogRetention(vars: Record<keyof typeof BOUNDS, string>): LogRetention {
  const problems = listBoundsProblems(vars, BOUNDS).map(problem =>
    problem.includes('HISTORY_RETENTION_DAYS') ? `${problem}: a webhook is tried for five days` : problem,
  )
  const historyMs = Number(vars.HISTORY_RETENTION_DAYS) * DAY_MS
  const feedMs = Number(vars.EVENT_RETENTION_DAYS) * DAY_MS
  if (problems.length === 0 && feedMs > historyMs)
    problems.push('the setting EVENT_RETENTION_DAYS must not be greater than HISTORY_RETENTION_DAYS')
  if (problems.length > 0) throw new Error(problems.join('; '))
  const recentMs = Math.max(Number(vars.HISTORY_RECENT_DAYS) * DAY_MS, feedMs + WEBHOOK_DAYS * DAY_MS)
  const removedMs = recentMs < historyMs ? historyMs + OBJECT_MS_MAX : historyMs
  return { historyMs, feedMs, recentMs, removedMs }
}
