/** The time of the database that a step may take, and the shorter one while others want it as well: a call of a person may wait so long. */
const STEP_MS = 50
const SHARED_STEP_MS = 10
const STEP_ENTRIES_MIN = 10
/** Larger than any step: beyond, there is no bound. */
const STEP_ENTRIES_MAX = 800
/** An isolate begins with this: it has yet to learn how fast the database is, and whether others wait for it. */
export const FIRST_STEP_ENTRIES = 100
const STEP_GROWTH = 1.25

/**
 * Returns the most entries of the next step. While steps are short it grows by a quarter; when one took too long, it falls at
 * once to what would have fitted. While others use the database it does not grow.
 */
export function nextStepEntries(
  entriesMax: number,
  { entries, ownMs, isShared }: { entries: number; ownMs: number; isShared: boolean },
): number {
  const fitting = Math.floor((entries * (isShared ? SHARED_STEP_MS : STEP_MS)) / Math.max(ownMs, 1))
  if (fitting < entries) return Math.max(STEP_ENTRIES_MIN, fitting)
  if (isShared) return entriesMax
  const next = Math.max(Math.min(entriesMax * STEP_GROWTH, fitting), STEP_ENTRIES_MIN)
  return entriesMax * STEP_GROWTH > STEP_ENTRIES_MAX ? Number.POSITIVE_INFINITY : next
}

/** A message that fails again and again tries fewer entries of its job at once, down to the one that is in the way. */
export const getEntriesAtAttempt = (chunkEntries: number, attempt: number): number =>
  Math.max(1, Math.ceil(chunkEntries / 4 ** (attempt - 1)))
