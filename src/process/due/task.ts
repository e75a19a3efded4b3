import type { Db } from '../../db/client.ts'
import type { MaintenanceTask } from '../../maintenance-task.ts'
import type { DueEnv } from './due-actions.ts'
import { scheduleScan } from './schedule.ts'
import { selectTeamsWithMissed } from './store.ts'

/** The objects of teams notify within seconds: what is older was missed. */
const MISSED_AFTER_MS = 20_000
const TEAMS_PER_STEP_MAX = 50

/** Has those objects scan for which a time was not scheduled, or whose alarm was lost. */
export const createMissedDueTask = (env: DueEnv, db: () => Db, now: number): MaintenanceTask => ({
  async step() {
    const [teams] = await db().read(selectTeamsWithMissed(now - MISSED_AFTER_MS, TEAMS_PER_STEP_MAX))
    await Promise.all(teams.map(({ team }) => scheduleScan(env, team)))
    return { done: teams.length, hasMore: false }
  },
})
