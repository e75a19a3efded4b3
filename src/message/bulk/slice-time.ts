/**
 * Nothing is in flight between two slices of a job, so they end less often than those of others: a number would be idle.
 * A rollback waits as long, before it resets what sends.
 */
export const SLICE_MS_MIN = 60_000
