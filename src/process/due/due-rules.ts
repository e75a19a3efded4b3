const SECOND_MS = 1_000
const DAY_MS = 24 * 60 * 60_000

/** A transaction that was begun so long ago has taken effect, or never will. */
export const COMMIT_MS_MAX = 60_000
/** For so long an isolate relies on what it told. */
const REMEMBERED_MS = 60_000
/** For so long the object keeps what it was told: until what relied on it is certainly in the database. */
const KEPT_MS = REMEMBERED_MS + COMMIT_MS_MAX + 30_000
/** They are different seconds, so the last of so many comes after `COMMIT_MS_MAX`: a look finds what was left out. */
const KEPT_TIMES_MAX = 1_000
/** An alarm for a later time rings in between, once. */
const ALARM_MS_MAX = 7 * DAY_MS

/**
 * Isolates that do not know yet that the feed was switched on tell nothing of what they commit: tokens are trusted for
 * 30 seconds, and a job's turn that has begun lasts about ten. Until this is over, all is looked for from the beginning.
 */
export const SETTLED_AFTER_MS = 30_000 + 10_000 + COMMIT_MS_MAX
const KNOWN_AFTER_MS = 35_000

/** When to look after the feed was switched on: at once, when requests know of it, and when everybody does. */
export const looksAfterSwitchOn = (now: number): number[] =>
  [now, now + KNOWN_AFTER_MS, now + SETTLED_AFTER_MS + SECOND_MS].map(wholeSecond)

/** A time at which there will be a look, and since when that is agreed. */
export interface ToldTime {
  at: number
  since: number
}

/** Looks are at whole seconds, so that what comes in the same one is looked for together. */
export const wholeSecond = (time: number): number => Math.ceil(time / SECOND_MS) * SECOND_MS

/**
 * Which seconds have to be told before a transaction that sets these times. A look covers what has come by then: the
 * pass finds it, or the transaction that commits it later does. Of times beyond `COMMIT_MS_MAX` the first one is enough:
 * at that look the others are in the database.
 */
export function secondsToTell(told: readonly ToldTime[], times: readonly number[], now: number): number[] {
  const known = told.filter(({ at, since }) => at > now && since > now - REMEMBERED_MS).map(({ at }) => at)
  const isFar = (at: number) => at > now + COMMIT_MS_MAX
  const covered = Math.min(...known.filter(isFar))
  const untold = [...new Set(times.map(wholeSecond))].filter(at => !known.includes(at) && at < covered)
  const firstFar = Math.min(...untold.filter(isFar))
  return untold.filter(at => at <= firstFar).sort((one, other) => one - other)
}

/** What is known after more was told, in the order of time. */
export function addTold(told: readonly ToldTime[], seconds: readonly number[], now: number): ToldTime[] {
  const others = told.filter(({ at }) => !seconds.includes(at))
  const all = [...others, ...seconds.map(at => ({ at, since: now }))]
  return all.sort((one, other) => one.at - other.at).slice(0, KEPT_TIMES_MAX)
}

/** What an isolate need not keep: what has come, and what it does not rely on any more. */
export const stillRemembered = (told: readonly ToldTime[], now: number): ToldTime[] =>
  told.filter(({ at, since }) => at > now && since > now - REMEMBERED_MS)

/** What is left after a look that began at a time: of what was told long ago the database says whether it is there. */
export const stillAwaited = (told: readonly ToldTime[], lookedTo: number): ToldTime[] =>
  told.filter(({ at, since }) => at > lookedTo && since > lookedTo - KEPT_MS)

/** When the next look has to be; null: there is nothing to look for. `next` is the first one in the database. */
export function nextLookAt(told: readonly ToldTime[], next: number | null, now: number): number | null {
  const first = Math.min(told[0]?.at ?? Number.POSITIVE_INFINITY, next === null ? Number.POSITIVE_INFINITY : next)
  return first === Number.POSITIVE_INFINITY ? null : Math.min(wholeSecond(first), now + ALARM_MS_MAX)
}

const RETRY_MS_MAX = 8_000

/** After so many looks in a row that failed. */
export const retryAfterMs = (failures: number): number => Math.min(SECOND_MS * 2 ** (failures - 1), RETRY_MS_MAX)
