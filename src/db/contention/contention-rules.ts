/** What trips to the database took, and what of it D1 says that the statements themselves did. */
export interface TripTimes {
  trips: number
  ms: number
  ownMs: number
}

export const subtractTimes = (before: TripTimes, after: TripTimes): TripTimes => ({
  trips: after.trips - before.trips,
  ms: after.ms - before.ms,
  ownMs: after.ownMs - before.ownMs,
})

/** The least trip is forgotten slowly: the database, or the isolate, may have moved. */
const LEAST_TRIP_GROWTH = 1.002

/** The way there and back, as far as it is known: the least that trips took besides their statements. */
export function nextLeastTripMs(least: number, { trips, ms, ownMs }: TripTimes): number {
  if (trips === 0) return least
  return Math.min(least * LEAST_TRIP_GROWTH, Math.max(0, ms - ownMs) / trips)
}

/** How long each of these trips waited for others, if it did for long enough: below this it is no queue, as trips differ. */
const WAIT_MS_MIN = 10
const WAIT_PER_TRIP_MIN = 0.5

/** What is sent takes its time on the way: about 12 ms a megabyte were measured, and that is no waiting. */
const SENT_MS_PER_BYTE = 20 / 1_000_000

/** For how long each of some trips waited in the queue of the database, on average. */
export const getQueuedMs = ({ trips, ms, ownMs }: TripTimes, leastTripMs: number, sentBytes = 0): number =>
  trips === 0 ? 0 : Math.max(0, (ms - ownMs - sentBytes * SENT_MS_PER_BYTE) / trips - leastTripMs)

export const isContended = (queuedMs: number, leastTripMs: number): boolean =>
  queuedMs >= Math.max(WAIT_MS_MIN, WAIT_PER_TRIP_MIN * leastTripMs)

/** When calls of each team last waited for the database. */
export type ContentionByTeam = Map<number, number>

/** Contention counts for so long after it was noted. */
const WAIT_COUNTS_MS = 5_000

export function noteContention(contention: ContentionByTeam, team: number, now: number): void {
  for (const [other, at] of contention) if (at <= now - WAIT_COUNTS_MS) contention.delete(other)
  contention.set(team, now)
}

/** Whether calls of anybody but this team have to wait. */
export function areOthersWaiting(contention: ContentionByTeam, team: number | null, now: number): boolean {
  for (const [other, at] of contention) if (other !== team && at > now - WAIT_COUNTS_MS) return true
  return false
}
