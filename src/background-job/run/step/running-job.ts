import type { Cost } from '../../../db/cost.ts'
import type { Wait } from '../../kind.ts'
import type { JobEngine } from '../engine.ts'
import type { LoadedJob } from '../load.ts'

/** A job in the hands of a runner. */
export interface Turn extends LoadedJob {
  engine: JobEngine
  cost: Cost
  /** Why the last step could not get further. */
  wait?: Wait | undefined
  steps: number
  reports: Promise<unknown>[]
}
