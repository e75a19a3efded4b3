import { DurableObject } from 'cloudflare:workers'
import { getContention } from '../../db/contention/database-contention.ts'
import { getDurableObject } from '../../durable-objects.ts'
import {
  type Budget,
  type BudgetAnswer,
  type BudgetLimits,
  type BudgetReport,
  createBudget,
  reserve,
  spend,
} from './budget-rules.ts'

/** The time for which the answer is remembered, by whether others wait. */
const ASKED_MS = { true: 2_000, false: 100 }

/** The database time of one team, over all isolates. Its state is only in memory: if that is lost, the team has its burst again. */
export class TeamBudget extends DurableObject<Env> {
  #budget: Budget | undefined
  #contention = { areOthersWaiting: false, until: 0 }

  /** Takes the time that a team has used. */
  async spend(team: number, report: BudgetReport, limits: BudgetLimits): Promise<BudgetAnswer> {
    const areOthersWaiting = await this.#areOthersWaiting(team)
    const now = Date.now()
    this.#budget ??= createBudget(limits, now)
    return spend(this.#budget, report, { limits, areOthersWaiting }, now)
  }

  /** Reserves time for a call before it starts. Returns in how many milliseconds it may start, or when to ask again. */
  reserve(ms: number, limits: BudgetLimits): { startInMs: number; isReserved: boolean } {
    const now = Date.now()
    this.#budget ??= createBudget(limits, now)
    return reserve(this.#budget, ms, limits, now)
  }

  async #areOthersWaiting(team: number): Promise<boolean> {
    if (Date.now() >= this.#contention.until) {
      const areOthersWaiting = await getContention(this.env).areOthersWaiting(team)
      this.#contention = { areOthersWaiting, until: Date.now() + ASKED_MS[`${areOthersWaiting}`] }
    }
    return this.#contention.areOthersWaiting
  }
}

export const getTeamBudget = (env: Pick<Env, 'TEAM_BUDGET'>, team: number) =>
  getDurableObject(env, 'TEAM_BUDGET', String(team))
