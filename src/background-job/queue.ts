import * as z from 'zod'
import type { JobQueue, JobRow } from './rules.ts'

/** A queue message: this job may have work left. Which, the database says. */
export const JobMessage = z.object({
  team: z.int(),
  job: z.int(),
  /** Where the job was when the message was sent: if it has gone on since, another message is on its way. */
  revision: z.int(),
})
export type JobMessage = z.infer<typeof JobMessage>

export const toJobMessage = (team: number, { no, revision }: Pick<JobRow, 'no' | 'revision'>): JobMessage => ({
  team,
  job: no,
  revision,
})

/** A job of at most so many entries is small. */
export const SMALL_JOB_ENTRIES_MAX = 100

/** What a new job has in its row: null stands for the queue `jobs`. One whose entries are not all known is not small. */
export const chooseQueue = (ofKind: JobQueue | null, entries: number): JobQueue | null =>
  ofKind ?? (entries <= SMALL_JOB_ENTRIES_MAX ? 'jobs-small' : null)

/** Where the messages of a job go: whoever sends one asks here. */
export const getQueue = ({ queue }: Pick<JobRow, 'queue'>): JobQueue => queue ?? 'jobs'

export type JobQueues = Record<JobQueue, Pick<Queue, 'send' | 'sendBatch'>>

export type JobQueueEnv = Pick<Env, 'JOBS' | 'JOBS_SMALL' | 'SENDS'>

export const getQueues = ({ JOBS, JOBS_SMALL, SENDS }: JobQueueEnv): JobQueues => ({
  jobs: JOBS,
  'jobs-small': JOBS_SMALL,
  sends: SENDS,
})
