import type { TripTimes } from '../../db/contention/contention-rules.ts'

const YIELD_MS_MAX = 1_000
/** A runner lets others go first for twice as long as its statements waited for others. */
const YIELD_PER_QUEUED = 2
/** While calls of people wait for the database, a runner pauses for twice the time that it used itself. */
const YIELD_PER_OWN = 2

/** Returns how long a runner pauses before its next step, so that the calls of people find the database free. */
export function yieldMs({ trips, ownMs }: TripTimes, queuedMs: number, isShared: boolean): number {
  return isShared ? Math.min(YIELD_MS_MAX, YIELD_PER_QUEUED * queuedMs * trips + YIELD_PER_OWN * ownMs) : 0
}
