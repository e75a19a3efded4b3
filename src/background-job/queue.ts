import type { JobRow } from './rules.ts'

/**
 * The queues that carry messages about jobs: small jobs have one, so that they don't wait for the turns of large ones. A
 * kind of entry may have one of its own.
 */
export type JobQueue = 'jobs' | 'jobs-small' | 'sends'

/** A job of at most so many entries is small. */
export const SMALL_JOB_ENTRIES_MAX = 100

/** What a new job has in its row: null stands for the queue `jobs`. One whose entries are not all known is not small. */
export const queueOfNew = (ofKind: JobQueue | null, entries: number): JobQueue | null =>
  ofKind ?? (entries <= SMALL_JOB_ENTRIES_MAX ? 'jobs-small' : null)

/** Where the messages of a job go: whoever sends one asks here. */
export const queueOf = ({ queue }: Pick<JobRow, 'queue'>): JobQueue => queue ?? 'jobs'

/** Whether a kind of its entries has the queue for itself. */
export const hasQueueOfKind = ({ queue }: Pick<JobRow, 'queue'>): boolean => queue === 'sends'

export type JobQueues = Record<JobQueue, Pick<Queue, 'send' | 'sendBatch'>>

export type JobQueueEnv = Pick<Env, 'JOBS' | 'JOBS_SMALL' | 'SENDS'>

export const queuesOf = ({ JOBS, JOBS_SMALL, SENDS }: JobQueueEnv): JobQueues => ({
  jobs: JOBS,
  'jobs-small': JOBS_SMALL,
  sends: SENDS,
})
