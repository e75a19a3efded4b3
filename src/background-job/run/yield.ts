import {
  FIRST_STEP_ENTRIES,
  nextLeastTripMs,
  nextStepEntries,
  type TripTimes,
  timesBetween,
  yieldMs,
} from './yield-rules.ts'

/** Of all turns in this isolate. */
let leastTripMs = Number.POSITIVE_INFINITY
let stepEntries = FIRST_STEP_ENTRIES

/** How many entries a step takes at most: fewer while others want the database, so that nobody waits long for one step. */
export const sharedStepEntries = (): number => stepEntries

/** Whether statements had to wait for others: then a step that could go on ends, and lets others go first. */
export function waitedForOthers(before: TripTimes, after: TripTimes): boolean {
  const trip = timesBetween(before, after)
  leastTripMs = nextLeastTripMs(leastTripMs, trip)
  return yieldMs(trip, leastTripMs) > 0
}

/** Between two steps: waits if the statements of the step had to wait for others. */
export async function yieldToOthers(before: TripTimes, after: TripTimes, entries: number): Promise<void> {
  const step = timesBetween(before, after)
  leastTripMs = nextLeastTripMs(leastTripMs, step)
  const ms = yieldMs(step, leastTripMs)
  // Of a step that ran none at the cursor nothing can be told.
  if (entries > 0) stepEntries = nextStepEntries(stepEntries, { entries, ownMs: step.ownMs, isShared: ms > 0 })
  if (ms > 0) await new Promise(resolve => setTimeout(resolve, ms))
}
