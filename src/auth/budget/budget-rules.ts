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
  /** Since it was over, its calls come in one by one, more or less: until this time. */
  strictUntil: number
  reporting: boolean
  /** When the calls were begun that are being answered, and what one costs the database as a rule. */
  begun: number[]
  callMs: number
}

const CALL_MS_EXPECTED = 2

export const newUse = (): TeamUse => ({
  ...{ ms: 0, overUntil: 0, wasOver: false, strictUntil: 0, reporting: false },
  ...{ begun: [], callMs: CALL_MS_EXPECTED },
})

/** What the calls of a team that are answered at the same time may be expected to take of the database: this part of a burst. */
const AT_ONCE_SHARE = 0.1
const STRICT_AT_ONCE_MS_MAX = 30
const STRICT_MS = 30_000
/** How much the last call says about the next one. */
const LAST_CALL_WEIGHT = 0.2

/** A call whose client has gone never ends: after this time it does not count. */
const CALL_MS_MAX = 20_000

/** Begins one more call beside those that are, if there is room. For one there always is. */
export function takeRoom(use: TeamUse, { burstMs }: BudgetLimits, now: number): boolean {
  const most = now < use.strictUntil ? STRICT_AT_ONCE_MS_MAX : AT_ONCE_SHARE * burstMs
  use.begun = use.begun.filter(at => at > now - CALL_MS_MAX)
  if (use.begun.length > 0 && (use.begun.length + 1) * use.callMs > most) return false
  use.begun.push(now)
  return true
}

export function endCall(use: TeamUse, begunAt: number, ms: number): void {
  const nth = use.begun.indexOf(begunAt)
  if (nth >= 0) use.begun.splice(nth, 1)
  use.ms += ms
  use.callMs += LAST_CALL_WEIGHT * (ms - use.callMs)
}

/** A team that uses less than this in an isolate costs no call of its object. */
const REPORTED_MS_MIN = 50
/** Isolates ask again after so long: by then others may have stopped using the database. */
const REMEMBERED_MS_MAX = 2_000

export const mustReport = ({ ms, wasOver, reporting }: TeamUse): boolean =>
  !reporting && ms > 0 && (wasOver || ms >= REPORTED_MS_MIN)

export function takeAnswer(use: TeamUse, overMs: number, now: number): void {
  use.wasOver = overMs > 0
  use.overUntil = now + Math.min(overMs, REMEMBERED_MS_MAX)
  if (use.wasOver) use.strictUntil = now + STRICT_MS
}
