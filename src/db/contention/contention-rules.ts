/** The time of trips to the database, and the part of it that, by D1, the statements themselves took. */
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

/** The growth of the least trip, by which it is forgotten slowly: the database, or the isolate, may have moved. */
const LEAST_TRIP_GROWTH = 1.002

/** Returns the time of the way there and back, as far as it is known: the least that trips took besides their statements. */
export function getNextLeastTripMs(least: number, { trips, ms, ownMs }: TripTimes): number {
  if (trips === 0) return least
  return Math.min(least * LEAST_TRIP_GROWTH, Math.max(0, ms - ownMs) / trips)
}

/** The wait of each trip below which there is no queue, because trips differ. */
const WAIT_MS_MIN = 10
const WAIT_PER_TRIP_MIN = 0.5

/** The time that a sent byte takes on its way. About 12 ms a megabyte were measured, which is no wait. */
const SENT_MS_PER_BYTE = 20 / 1_000_000

/** Returns how long each of some trips waited in the queue of the database, on average. */
export const getQueuedMs = ({ trips, ms, ownMs }: TripTimes, leastTripMs: number, sentBytes = 0): number =>
  trips === 0 ? 0 : Math.max(0, (ms - ownMs - sentBytes * SENT_MS_PER_BYTE) / trips - leastTripMs)

export const isContended = (queuedMs: number, leastTripMs: number): boolean =>
  queuedMs >= Math.max(WAIT_MS_MIN, WAIT_PER_TRIP_MIN * leastTripMs)

/** The times at which calls of each team last waited for the database. */
export type ContentionByTeam = Map<number, number>

/** The time for which contention counts after it was noted. */
const WAIT_COUNTS_MS = 5_000

export function noteContention(contention: ContentionByTeam, team: number, now: number): void {
  for (const [other, at] of contention) if (at <= now - WAIT_COUNTS_MS) contention.delete(other)
  contention.set(team, now)
}

/** Tells whether calls of others than this team have to wait. */
export function areOthersWaiting(contention: ContentionByTeam, team: number | null, now: number): boolean {
  for (const [other, at] of contention) if (other !== team && at > now - WAIT_COUNTS_MS) return true
  return false
}
