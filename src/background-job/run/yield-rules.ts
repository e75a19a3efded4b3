import type { TripTimes } from '../../db/contention/contention-rules.ts'

const YIELD_MS_MAX = 1_000
/** A runner lets others go first for twice as long as its statements waited for others. */
const YIELD_PER_QUEUED = 2
/** While calls of people wait for the database, a runner leaves it so much of the time. */
const YIELD_PER_OWN = 2

/** What a step may take of the database, and less while others want it as well: so long a call of a person may wait for one. */
const STEP_MS = 50
const SHARED_STEP_MS = 10
const STEP_ENTRIES_MIN = 10
/** Larger than any step: beyond, there is no bound. */
const STEP_ENTRIES_MAX = 800
/** An isolate begins with this: it has yet to learn how fast the database is, and whether others wait for it. */
export const FIRST_STEP_ENTRIES = 100
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
export function yieldMs({ trips, ownMs }: TripTimes, queuedMs: number, isShared: boolean): number {
  return isShared ? Math.min(YIELD_MS_MAX, YIELD_PER_QUEUED * queuedMs * trips + YIELD_PER_OWN * ownMs) : 0
}
