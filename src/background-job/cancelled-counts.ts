import { type SQL, sql } from 'drizzle-orm'
import { backgroundJob as job } from './table.ts'

/** A cancelled job waits for the entries that are in flight or delayed. */
export const whereOutstanding = sql`${job.outstanding} > 0`

/** Times never go back: the clocks of a runner and of a request may differ. */
export const notBefore = (now: number): SQL => sql`max(${job.updatedAt}, ${now})`

/** The counts of a cancelled job: what has neither ended nor is outstanding is cancelled, by number. */
export const cancelledCounts = (now: number) => ({
  cancelled: sql`${job.total} - ${job.invalid} - ${job.success} - ${job.error}
    - ${job.outstanding}`,
  inProgress: 0,
  completedAt: sql`iif(${whereOutstanding}, 0, ${notBefore(now)})`,
  updatedAt: notBefore(now),
  pausedBy: null,
  pausedBecause: null,
  pausedAt: null,
  collecting: null,
  collectedTo: null,
  wakeAt: sql`iif(${whereOutstanding}, ${now}, ${job.wakeAt})`,
})

/** What is said of a job that is cancelled before all of its entries were found. */
export const FOUND_IN_PART = 'not all entries had been found yet'
