/** What one step of a chore has done, and whether there is more to do at once. */
export interface ChoreStep {
  done: number
  hasMore: boolean
}

/** What a chore has not come to yet: how much, counted up to `BACKLOG_COUNT_MAX`, and since when the oldest of it is due. */
export interface Backlog {
  left: number
  dueSince: number | null
}

/** Counting reads rows, so it ends here. */
export const BACKLOG_COUNT_MAX = 10_000

/**
 * Something that is looked after once a minute. A step is bounded: some thousand rows, and far fewer statements than an
 * invocation may run. `src/chores/cron.ts` runs steps until nothing is left, also over several invocations.
 */
export interface Chore {
  step: () => Promise<ChoreStep>
  backlog?: () => Promise<Backlog>
}
