/** Returns the next version of a row, for optimistic locking. Its time never goes back, although clocks differ. */
export const toNextVersion = (before: { version: number; updatedAt: number }, now: number) => ({
  version: before.version + 1,
  updatedAt: Math.max(before.updatedAt, now),
})
