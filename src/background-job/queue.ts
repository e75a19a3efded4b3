import * as z from 'zod'
import type { Team } from '../scope.ts'
import type { JobQueue, JobRow } from './rules.ts'

/** A queue message: this job may have work left. Which, the database says. */
export const JobMessage = z.object({
  team: z.int(),
  job: z.int(),
  /** Where the job was when the message was sent: if it has gone on since, another message is on its way. */
  revision: z.int(),
  /** The ids of both, for log lines: what a version before this one has sent has none. */
  jobId: z.string().optional(),
  teamId: z.string().optional(),
})
export type JobMessage = z.infer<typeof JobMessage>

export const toJobMessage = (
  team: Pick<Team, 'no' | 'id'>,
  { no, id, revision }: Pick<JobRow, 'no' | 'id' | 'revision'>,
): JobMessage => ({ team: team.no, job: no, revision, jobId: id, teamId: team.id })

/** What each log line about a job has: its id, its row number, and the id of its team. */
export const toLogFields = (team: { id?: string | undefined }, job: { no: number; id?: string | undefined }) => ({
  job: job.id,
  jobNo: job.no,
  team: team.id,
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
