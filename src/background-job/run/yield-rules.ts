/** What trips to the database took, and what of it D1 says that the statements themselves did. */
export interface TripTimes {
  trips: number
  ms: number
  ownMs: number
}

/** Below this it is no queue: trips of many rows differ by so much. */
const QUEUED_MS_MIN = 20
const YIELD_MS_MAX = 1_000
/** A runner lets others go first for twice as long as its statements waited for others. */
const YIELD_PER_QUEUED = 2
/** The least trip is forgotten slowly: the database, or the isolate, may have moved. */
const LEAST_TRIP_GROWTH = 1.02

export const timesBetween = (before: TripTimes, after: TripTimes): TripTimes => ({
  trips: after.trips - before.trips,
  ms: after.ms - before.ms,
  ownMs: after.ownMs - before.ownMs,
})

/** The way there and back, as far as it is known: the least that trips took besides their statements. */
export function nextLeastTripMs(least: number, { trips, ms, ownMs }: TripTimes): number {
  if (trips === 0) return least
  return Math.min(least * LEAST_TRIP_GROWTH, Math.max(0, ms - ownMs) / trips)
}

/** For how long a runner waits before its next step, so that the calls of people find the database free. */
export function yieldMs({ trips, ms, ownMs }: TripTimes, leastTripMs: number): number {
  const queuedMs = ms - ownMs - trips * leastTripMs
  return queuedMs < QUEUED_MS_MIN ? 0 : Math.min(YIELD_MS_MAX, YIELD_PER_QUEUED * queuedMs)
}
