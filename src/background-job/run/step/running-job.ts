import type { Cost } from '../../../db/cost.ts'
import type { Scope } from '../../../scope.ts'
import type { Collection } from '../../collect/collection.ts'
import type { Wait } from '../../kind.ts'
import type { JobEngine } from '../engine.ts'
import type { LoadedJob } from '../load.ts'
import type { RunningStep } from './detached.ts'

/** A job in the hands of a runner. */
export interface Turn extends LoadedJob {
  engine: JobEngine
  /** Read when entries are to be found. */
  collection?: Collection
  cost: Cost
  /** For one step: with a time limit of its own, and the time that it is. */
  scope: () => Scope
  /** Why the last step could not get further. */
  wait?: Wait | undefined
  steps: number
  /** Entries that were run, and those that are being run. */
  entries: number
  /** Steps whose effects are under way, in their order. */
  detached: RunningStep[]
  reports: Promise<unknown>[]
}
