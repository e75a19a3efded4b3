/** How much of the database's time a team may use: so much each second, and so much at once. */
export interface BudgetLimits {
  msPerSecond: number
  burstMs: number
}

export interface Budget {
  leftMs: number
  at: number
}

/** What was used beyond the budget is remembered for so long: nobody is kept out longer by it. */
const DEBT_SECONDS_MAX = 10

export const newBudget = ({ burstMs }: BudgetLimits, now: number): Budget => ({ leftMs: burstMs, at: now })

/** Takes what was used; returns for how many milliseconds the team is over its budget. */
export function spend(budget: Budget, ms: number, { msPerSecond, burstMs }: BudgetLimits, now: number): number {
  const perMs = msPerSecond / 1000
  const earned = Math.max(0, now - budget.at) * perMs
  budget.at = Math.max(budget.at, now)
  budget.leftMs = Math.max(-DEBT_SECONDS_MAX * msPerSecond, Math.min(burstMs, budget.leftMs + earned) - ms)
  return budget.leftMs >= 0 ? 0 : Math.ceil(-budget.leftMs / perMs)
}

/** What one isolate knows of a team. */
export interface TeamUse {
  /** Used since the last report. */
  ms: number
  /** Until when the team is over its budget, as far as is known here. */
  overUntil: number
  /** When it was last told to be over: then the next use is reported at once. */
  wasOver: boolean
  reporting: boolean
}

export const newUse = (): TeamUse => ({ ms: 0, overUntil: 0, wasOver: false, reporting: false })

/** A team that uses less than this in an isolate costs no call of its object. */
const REPORTED_MS_MIN = 50
/** Isolates ask again after so long: by then others may have stopped using the database. */
const REMEMBERED_MS_MAX = 2_000

export const mustReport = ({ ms, wasOver, reporting }: TeamUse): boolean =>
  !reporting && ms > 0 && (wasOver || ms >= REPORTED_MS_MIN)

export function takeAnswer(use: TeamUse, overMs: number, now: number): void {
  use.wasOver = overMs > 0
  use.overUntil = now + Math.min(overMs, REMEMBERED_MS_MAX)
}
