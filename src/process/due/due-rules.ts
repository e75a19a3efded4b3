import { TRUST_MS } from '../../auth/owner-cache.ts'
import { DAY_MS, SECOND_MS } from '../../time-units.ts'

/** A transaction that was begun so long ago has taken effect, or never will. */
export const COMMIT_MS_MAX = 60_000
/** An isolate relies on what it has scheduled for so long. */
const REMEMBERED_MS = 60_000
/** The object keeps a scheduled time until every transaction that relied on it is certainly in the database. */
const KEPT_MS = REMEMBERED_MS + COMMIT_MS_MAX + 30_000
/** They are different seconds, so the last of so many comes after `COMMIT_MS_MAX`: an earlier scan finds those that were left out. */
const KEPT_TIMES_MAX = 1_000
/** An alarm for a later time rings in between, once. */
const ALARM_MS_MAX = 7 * DAY_MS

/**
 * Isolates that do not know yet that the feed was switched on schedule nothing of what they commit: what an isolate remembers of a
 * token is so old at most, and a slice of a job that has begun lasts about ten seconds. Until then each scan starts from the
 * beginning.
 */
export const SETTLED_AFTER_MS = TRUST_MS + 15_000 + COMMIT_MS_MAX
const KNOWN_AFTER_MS = TRUST_MS + 10_000

/** After the feed was switched on there is a scan at once, one when requests know of it, and one when everybody does. */
export const getFirstScanTimes = (now: number): number[] =>
  [now, now + KNOWN_AFTER_MS, now + SETTLED_AFTER_MS + SECOND_MS].map(toWholeSecond)

/** The time of a scan, and when it was scheduled. */
export interface ScheduledTime {
  at: number
  since: number
}

/** Scans are at whole seconds, so that one scan finds all that comes within the same second. */
export const toWholeSecond = (time: number): number => Math.ceil(time / SECOND_MS) * SECOND_MS

/**
 * Finds the seconds that have to be scheduled before a transaction that sets these times. A scan covers all that has come
 * by then: it finds the time, or the transaction that commits it later does. Beyond `COMMIT_MS_MAX` the first time is
 * enough: by that scan the others are in the database.
 */
export function findUnscheduled(scheduled: readonly ScheduledTime[], times: readonly number[], now: number): number[] {
  const known = scheduled.filter(({ at, since }) => at > now && since > now - REMEMBERED_MS).map(({ at }) => at)
  const isFar = (at: number) => at > now + COMMIT_MS_MAX
  const covered = Math.min(...known.filter(isFar))
  const unscheduled = [...new Set(times.map(toWholeSecond))].filter(at => !known.includes(at) && at < covered)
  const firstFar = Math.min(...unscheduled.filter(isFar))
  return unscheduled.filter(at => at <= firstFar).sort((one, other) => one - other)
}

/** Adds seconds in the order of time. */
export function addScheduled(
  scheduled: readonly ScheduledTime[],
  seconds: readonly number[],
  now: number,
): ScheduledTime[] {
  const others = scheduled.filter(({ at }) => !seconds.includes(at))
  const all = [...others, ...seconds.map(at => ({ at, since: now }))]
  return all.sort((one, other) => one.at - other.at).slice(0, KEPT_TIMES_MAX)
}

/** Drops times that have come, and those that the isolate does not rely on any more. */
export const keepRemembered = (scheduled: readonly ScheduledTime[], now: number): ScheduledTime[] =>
  scheduled.filter(({ at, since }) => at > now && since > now - REMEMBERED_MS)

/** Drops times that a scan has covered, and old ones: whether they are still set, the database says. */
export const keepAwaited = (scheduled: readonly ScheduledTime[], scannedTo: number): ScheduledTime[] =>
  scheduled.filter(({ at, since }) => at > scannedTo && since > scannedTo - KEPT_MS)

/** `next` is the first time in the database. Null: nothing is scheduled. */
export function getNextScanAt(scheduled: readonly ScheduledTime[], next: number | null, now: number): number | null {
  const first = Math.min(scheduled[0]?.at ?? Number.POSITIVE_INFINITY, next === null ? Number.POSITIVE_INFINITY : next)
  return first === Number.POSITIVE_INFINITY ? null : Math.min(toWholeSecond(first), now + ALARM_MS_MAX)
}

const RETRY_MS_MAX = 8_000

/** Back-off after so many failed scans in a row. */
export const retryAfterMs = (failures: number): number => Math.min(SECOND_MS * 2 ** (failures - 1), RETRY_MS_MAX)
