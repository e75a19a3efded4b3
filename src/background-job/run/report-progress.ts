import { getDurableObject } from '../../durable-objects.ts'
import type { Team } from '../../scope.ts'
import { withTimeout } from '../../timeout.ts'
import { toLogFields } from '../queue.ts'
import type { JobRow } from '../rules.ts'
import type { JobSettings } from '../settings.ts'

/** A runner, and a stream that is opened, wait no longer than this for the job's object. */
export const PROGRESS_TIME_LIMIT_MS = 5_000

/** Event streams of one job at the same time. */
export const STREAMS_MAX = 100
/** The status with which the Durable Object answers one more. */
export const TOO_MANY_STREAMS = 429

export type ProgressEnv = Pick<Env, 'JOB_PROGRESS'>

/** The object of a job, which sends its progress to the event streams. */
export const getProgress = (env: ProgressEnv, team: number, job: number) =>
  getDurableObject(env, 'JOB_PROGRESS', `${team}/${job}`)

type Progress = ReturnType<typeof getProgress>

export const progressTimeLimitMs = ({ timeLimitMs }: Pick<JobSettings, 'timeLimitMs'>): number =>
  Math.min(timeLimitMs, PROGRESS_TIME_LIMIT_MS)

/** Sends the job's row to its object. If that cannot be reached, the event streams read the database. */
export const reportProgress = (
  settings: JobSettings,
  progress: () => Progress,
  { team, job }: { team: Pick<Team, 'id'>; job: JobRow },
): Promise<unknown> =>
  withTimeout(progressTimeLimitMs(settings), () => progress().publish(job)).catch((error: unknown) =>
    console.warn(JSON.stringify({ ...toLogFields(team, job), unreported: String(error) })),
  )
