/** Times are milliseconds, wherever their name does not say otherwise. */
export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** The day since 1970, in UTC. */
export const toDay = (at: number): number => Math.floor(at / DAY_MS)

/** Time Travel takes a database back by up to thirty days: what a restore may bring back is kept for so long, and a day more. */
export const TIME_TRAVEL_MS = 31 * DAY_MS
