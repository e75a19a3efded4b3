import type { Db } from '../../db/client.ts'
import type { MaintenanceTask } from '../../maintenance-task.ts'
import type { DueEnv } from './due-actions.ts'
import { selectOverdueTeams } from './statements.ts'
import { tellOverlooked } from './tell.ts'

/** The objects of teams tell what is due within seconds: what is older was overlooked. */
const OVERLOOKED_AFTER_MS = 20_000
const TEAMS_PER_STEP_MAX = 50

/** Has teams looked after whose object was not told of a time, or whose alarm was lost. */
export const createDueTask = (env: DueEnv, db: () => Db, now: number): MaintenanceTask => ({
  async step() {
    const [teams] = await db().read(selectOverdueTeams(now - OVERLOOKED_AFTER_MS, TEAMS_PER_STEP_MAX))
    await Promise.all(teams.map(({ team }) => tellOverlooked(env, team)))
    return { done: teams.length, hasMore: false }
  },
})
