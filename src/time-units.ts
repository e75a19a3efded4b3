// Times are in milliseconds, unless a name says otherwise.
export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Returns the day since 1970, in UTC. */
export const toDay = (at: number): number => Math.floor(at / DAY_MS)

/** The retention of rows that a restore may need: Time Travel goes back up to thirty days, and one more is safe. */
export const TIME_TRAVEL_MS = 31 * DAY_MS
