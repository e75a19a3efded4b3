import type { Db } from '../../db/client.ts'
import { signalCommit } from '../../event/signal/signal.ts'
import type { TeamEventsEnv } from '../../event/signal/team-object.ts'
import { BACKLOG_COUNT_MAX, change, type MaintenanceTask } from '../../maintenance-task.ts'
import { moveProcesses } from '../../process/rows/move.ts'
import { countMoved, endMove, selectMoves, selectPresentSurvivor } from './statements.ts'

const PROCESSES_PER_STEP = 250

/**
 * Creates the task that gives processes of merged customers to their survivors, if one transaction could not. A step
 * takes the next ones of a procedure that the merged customer still has, so it can be cut off, repeated, or run twice at once.
 */
export const createMergerTask = (env: TeamEventsEnv, db: () => Db, now: number): MaintenanceTask => ({
  async step() {
    const [[next]] = await db().read(selectMoves(1))
    if (next === undefined) return { done: 0, hasMore: false }
    const { record: merged, team, by, proc } = next
    if (proc === null) await change(db, endMove(next))
    else {
      const move = { team, at: now, by, from: merged, to: selectPresentSurvivor(next), proc, max: PROCESSES_PER_STEP }
      await change(db, ...moveProcesses(move), countMoved(next))
      await signalCommit(env, { no: team, eventFeedSince: next.eventFeedSince })
    }
    return { done: 1, hasMore: true }
  },
  async backlog() {
    const [rows] = await db().read(selectMoves(BACKLOG_COUNT_MAX))
    return { left: rows.length, dueSince: null }
  },
})
