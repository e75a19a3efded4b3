import type { Db } from '../../db/client.ts'
import { signalCommit } from '../../event/signal/signal.ts'
import type { TeamEventsEnv } from '../../event/signal/team-object.ts'
import { createMaintenanceRound } from '../../maintenance-round.ts'
import { change, type MaintenanceTask } from '../../maintenance-task.ts'
import { moveProcesses } from '../../process/rows/move.ts'
import {
  countMoved,
  countMoves,
  endMove,
  type NextMove,
  selectMove,
  selectNextMove,
  selectPresentSurvivor,
} from './statements.ts'

const PROCESSES_PER_STEP = 250

/** The name of the task that gives processes of merged customers to their survivors. */
export const MERGER_TASK = 'merge customers'

/**
 * Creates the task that gives processes of merged customers to their survivors, if one transaction could not. A step
 * takes the next ones of a procedure that the merged customer still has, so it can be cut off, repeated, or run twice at once.
 */
export const createMergerTask = (env: TeamEventsEnv, db: () => Db, now: number): MaintenanceTask =>
  createMaintenanceRound({
    task: MERGER_TASK,
    noun: 'merge',
    db,
    now,
    selectNext: selectNextMove,
    selectOne: selectMove,
    runStep: next => moveNext(env, db, next, now),
    countLeft: countMoves,
  })

async function moveNext(env: TeamEventsEnv, db: () => Db, next: NextMove, now: number): Promise<void> {
  const { record: merged, team, by, proc } = next
  if (proc === null) return change(db, endMove(next))
  const move = { team, at: now, by, from: merged, to: selectPresentSurvivor(next), proc, max: PROCESSES_PER_STEP }
  await change(db, ...moveProcesses(move), countMoved(next))
  await signalCommit(env, { no: team, eventFeedSince: next.eventFeedSince })
}
