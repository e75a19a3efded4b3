import type { JobRow } from './rules.ts'

/** The queues that carry messages about jobs. A kind of entry may have one of its own, so that others don't wait for it. */
export type JobQueue = 'jobs' | 'sends'

/** Where the messages of a job go: whoever sends one asks here. */
export const queueOf = ({ queue }: Pick<JobRow, 'queue'>): JobQueue => queue ?? 'jobs'

export type JobQueues = Record<JobQueue, Pick<Queue, 'send' | 'sendBatch'>>

export const queuesOf = ({ JOBS, SENDS }: Pick<Env, 'JOBS' | 'SENDS'>): JobQueues => ({ jobs: JOBS, sends: SENDS })
