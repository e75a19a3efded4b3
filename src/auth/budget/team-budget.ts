import { DurableObject } from 'cloudflare:workers'
import { type Budget, type BudgetLimits, newBudget, spend } from './budget-rules.ts'

/** The database time of one team, over all isolates. Its state is in memory only: if that is lost, the team has its burst again. */
export class TeamBudget extends DurableObject<Env> {
  #budget: Budget | undefined

  /** Takes what a team has used; returns for how many milliseconds it is over its budget. */
  spend(ms: number, limits: BudgetLimits): number {
    const now = Date.now()
    this.#budget ??= newBudget(limits, now)
    return spend(this.#budget, ms, limits, now)
  }
}

export const budgetOf = (env: Pick<Env, 'TEAM_BUDGET'>, team: number) =>
  env.TEAM_BUDGET.get(env.TEAM_BUDGET.idFromName(String(team)))
