/** Optimistic locking: the row is changed while it has the version that was read. Its time never goes back: clocks differ. */
export const nextVersion = (before: { version: number; updatedAt: number }, now: number) => ({
  version: before.version + 1,
  updatedAt: Math.max(before.updatedAt, now),
})
