import { removeState, selectState } from '../db/maintenance-state.ts'
import type { Statement } from '../db/statement.ts'

/** Under this name it is kept whether all that was erased before a restore is erased again; until then, how far it came as JSON. */
export const REPLAY = 'erase again'
export const REPLAYED = 'done'

/** What could not be erased again, and why. */
export interface FailedErasure {
  /** Null: the note cannot be read, and `id` is its key. */
  team: number | null
  what: string
  id: string
  cause: string
  /** The pass that is under way has not come to it yet. */
  isUnseen?: boolean
}

export interface ReplayProgress {
  /** How many customers and processes so far. */
  erasedAgain: number
  /** Customers of whom some is left to erase. */
  left: number
  failed: FailedErasure[]
  /** How many passes one after the other found nothing but what failed. */
  failedRuns: number
  /** When the run began that came so far: the cron may run, and not come to the erasures. */
  at?: number
  /** The note after which the pass goes on; null: the next one begins. */
  after?: string | null
  /** What this pass has erased. One that has erased nothing is the last. */
  erasedInPass?: number
}

/** `whereDone`: all is erased again. */
export function readProgress(position: string | undefined): ReplayProgress & { isDone: boolean } {
  const none = { erasedAgain: 0, left: 0, failed: [], failedRuns: 0 }
  if (position === undefined || position === REPLAYED) return { ...none, isDone: position === REPLAYED }
  return { ...none, ...(JSON.parse(position) as Partial<ReplayProgress>), isDone: false }
}

export const selectReplayed = (): Statement<{ value: string }> => selectState(REPLAY)

/** Before a restore is gone through: the database may tell of an earlier one. */
export const forgetReplayed = (): Statement => removeState(REPLAY)
