/** The database time that a team may use while others wait: per second, and in a burst. */
export interface BudgetLimits {
  msPerSecond: number
  burstMs: number
}

/** The token bucket of one team, over all isolates: its tokens are milliseconds of the database's time. */
export interface Budget {
  leftMs: number
  at: number
  /** The time until which the team has no burst, and its calls reserve their time: it was over its budget while others waited. */
  strictUntil: number
}

/** The debt that is remembered. Use beyond the budget keeps nobody out for longer than this. */
const DEBT_SECONDS_MAX = 10
const STRICT_MS = 30_000
const STRICT_BURST_MS = 20

export const createBudget = ({ burstMs }: BudgetLimits, now: number): Budget => ({
  leftMs: burstMs,
  at: now,
  strictUntil: 0,
})

const isStrict = ({ strictUntil }: Budget, now: number): boolean => now < strictUntil

function earn(budget: Budget, { msPerSecond, burstMs }: BudgetLimits, now: number): void {
  const earned = (Math.max(0, now - budget.at) * msPerSecond) / 1000
  budget.at = Math.max(budget.at, now)
  budget.leftMs = Math.min(isStrict(budget, now) ? STRICT_BURST_MS : burstMs, budget.leftMs + earned)
}

/** Returns the time until the budget is no longer overdrawn. */
const getOverMs = ({ leftMs }: Budget, { msPerSecond }: BudgetLimits): number =>
  leftMs >= 0 ? 0 : Math.ceil((-leftMs * 1000) / msPerSecond)

export interface BudgetAnswer {
  /** The time for which the team may use nothing. */
  overMs: number
  /** The time for which its calls have to reserve. */
  strictMs: number
}

/** The time that a team has used, and the part of it that was reserved, and so taken, before. */
export interface BudgetReport {
  ms: number
  reservedMs: number
}

/** Takes the used time from the bucket if others wait. If nobody waits, nobody misses it. */
export function spend(
  budget: Budget,
  { ms, reservedMs }: BudgetReport,
  { limits, areOthersWaiting }: { limits: BudgetLimits; areOthersWaiting: boolean },
  now: number,
): BudgetAnswer {
  earn(budget, limits, now)
  const taken = (areOthersWaiting || isStrict(budget, now) ? ms : 0) - reservedMs
  budget.leftMs = Math.max(-DEBT_SECONDS_MAX * limits.msPerSecond, budget.leftMs - taken)
  if (budget.leftMs < 0 && areOthersWaiting) budget.strictUntil = now + STRICT_MS
  if (!isStrict(budget, now)) return { overMs: 0, strictMs: 0 }
  return { overMs: getOverMs(budget, limits), strictMs: budget.strictUntil - now }
}

/** A call that would have to wait longer than this is refused. */
export const RESERVED_AHEAD_MS_MAX = 1_000

/** Reserves the expected time of a call. Returns in how many milliseconds it may start, or when to ask again. */
export function reserve(
  budget: Budget,
  ms: number,
  limits: BudgetLimits,
  now: number,
): { startInMs: number; isReserved: boolean } {
  earn(budget, limits, now)
  const startInMs = getOverMs(budget, limits)
  if (startInMs > RESERVED_AHEAD_MS_MAX) return { startInMs, isReserved: false }
  budget.leftMs -= ms
  return { startInMs, isReserved: true }
}
