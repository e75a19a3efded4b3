import { problemsWithin } from '../setting-bounds.ts'
import { DAY_MS } from '../time-units.ts'

/** How long the log is kept, for history; and how much of it the feed shows. */
export interface LogRetention {
  historyMs: number
  feedMs: number
}

/** `FAILING_MS_MAX` of `webhook/delivery-rules.ts`: what a webhook has not got until then must be there. */
const WEBHOOK_DAYS = 5
const BOUNDS = { HISTORY_RETENTION_DAYS: [WEBHOOK_DAYS, 3_650], EVENT_RETENTION_DAYS: [1, 3_650] } as const

/** Throws where a setting can not be used. The feed can't show what is not kept. */
export function readLogRetention(vars: Record<keyof typeof BOUNDS, string>): LogRetention {
  const problems = problemsWithin(vars, BOUNDS).map(problem =>
    problem.includes('HISTORY_RETENTION_DAYS') ? `${problem}: a webhook is tried for five days` : problem,
  )
  const historyMs = Number(vars.HISTORY_RETENTION_DAYS) * DAY_MS
  const feedMs = Number(vars.EVENT_RETENTION_DAYS) * DAY_MS
  if (problems.length === 0 && feedMs > historyMs)
    problems.push('the setting EVENT_RETENTION_DAYS must not be greater than HISTORY_RETENTION_DAYS')
  if (problems.length > 0) throw new Error(problems.join('; '))
  return { historyMs, feedMs }
}
