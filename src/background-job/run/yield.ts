import { nextLeastTripMs, type TripTimes, timesBetween, yieldMs } from './yield-rules.ts'

/** Of all turns in this isolate. */
let leastTripMs = Number.POSITIVE_INFINITY

/** Between two steps: waits if the statements of the step had to wait for others. */
export async function yieldToOthers(before: TripTimes, after: TripTimes): Promise<void> {
  const step = timesBetween(before, after)
  leastTripMs = nextLeastTripMs(leastTripMs, step)
  const ms = yieldMs(step, leastTripMs)
  if (ms > 0) await new Promise(resolve => setTimeout(resolve, ms))
}
