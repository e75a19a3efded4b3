import type { BudgetLimits } from './budget-rules.ts'

type Vars = Pick<Env, 'TEAM_DATABASE_MS_PER_SECOND' | 'TEAM_DATABASE_BURST_MS'>

/** Reads the limits. Throws if one of them is invalid. */
export const readBudgetLimits = (vars: Vars): BudgetLimits => ({
  msPerSecond: readPositive(vars, 'TEAM_DATABASE_MS_PER_SECOND'),
  burstMs: readPositive(vars, 'TEAM_DATABASE_BURST_MS'),
})

function readPositive(vars: Vars, name: keyof Vars): number {
  const number = Number(vars[name])
  if (Number.isInteger(number) && number > 0) return number
  throw new Error(`the setting ${name} must be a whole number above 0`)
}
