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

/** What a step may take of the database, and less while others want it as well: so long a call of a person may wait for one. */
const STEP_MS = 50
const SHARED_STEP_MS = 20
const STEP_ENTRIES_MIN = 10
/** Larger than any step: beyond, there is no bound. */
const STEP_ENTRIES_MAX = 800
/** Of an isolate that has yet to learn how fast the database is. */
export const FIRST_STEP_ENTRIES = 400
const STEP_GROWTH = 1.25

/** How many entries the next step takes at most: fewer at once where a step took too long, and then more and more again. */
export function nextStepEntries(
  most: number,
  { entries, ownMs, isShared }: { entries: number; ownMs: number; isShared: boolean },
): number {
  const fitting = Math.floor((entries * (isShared ? SHARED_STEP_MS : STEP_MS)) / Math.max(ownMs, 1))
  if (fitting < entries) return Math.max(STEP_ENTRIES_MIN, fitting)
  if (isShared) return most
  const next = Math.max(Math.min(most * STEP_GROWTH, fitting), STEP_ENTRIES_MIN)
  return most * STEP_GROWTH > STEP_ENTRIES_MAX ? Number.POSITIVE_INFINITY : next
}

/** For how long a runner waits before its next step, so that the calls of people find the database free. */
export function yieldMs({ trips, ms, ownMs }: TripTimes, leastTripMs: number): number {
  const queuedMs = ms - ownMs - trips * leastTripMs
  return queuedMs < QUEUED_MS_MIN ? 0 : Math.min(YIELD_MS_MAX, YIELD_PER_QUEUED * queuedMs)
}
