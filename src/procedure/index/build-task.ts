import type { Db } from '../../db/client.ts'
import { describeError } from '../../describe-error.ts'
import type { MaintenanceTask } from '../../maintenance-task.ts'
import { buildIndexes, findUnfinishedBuilds } from './build.ts'

/** Creates the task that continues unfinished builds in turns, one step of each. A build that fails holds up no other: it waits for the cron. */
export function createIndexBuildTask(db: () => Db, now: number): MaintenanceTask {
  let unfinished: number[] | undefined
  return {
    async step() {
      unfinished ??= await findUnfinishedBuilds(db(), now)
      const procedure = unfinished.shift()
      if (procedure === undefined) return { done: 0, hasMore: false }
      try {
        if (!(await buildIndexes(db(), procedure, 1))) unfinished.push(procedure)
      } catch (error) {
        console.error(JSON.stringify({ task: 'build indexes', procedureNo: procedure, cause: describeError(error) }))
      }
      return { done: 1, hasMore: unfinished.length > 0 }
    },
    backlog: async () => ({ left: unfinished?.length ?? 0, dueSince: null }),
  }
}
