import { withTimeout } from '../../timeout.ts'
import type { JobRow } from '../rules.ts'
import type { JobSettings } from '../settings.ts'

/** Watching may wait; the work must not wait for those who watch. */
const PROGRESS_TIME_LIMIT_MS = 5_000

export type ProgressEnv = Pick<Env, 'JOB_PROGRESS'>

/** The object of a job, which tells everybody who watches it. */
export const progressOf = (env: ProgressEnv, team: number, job: number) =>
  env.JOB_PROGRESS.get(env.JOB_PROGRESS.idFromName(`${team}/${job}`))

type Progress = ReturnType<typeof progressOf>

export const progressTimeLimitMs = ({ timeLimitMs }: Pick<JobSettings, 'timeLimitMs'>): number =>
  Math.min(timeLimitMs, PROGRESS_TIME_LIMIT_MS)

/** Tells the job's object where the job is. If it can't be reached, whoever watches asks the database. */
export const reportProgress = (settings: JobSettings, progress: () => Progress, job: JobRow): Promise<unknown> =>
  withTimeout(
    progressTimeLimitMs(settings),
    // A binding may throw before there is a promise.
    (async () => progress().publish(job))(),
  ).catch((error: unknown) => console.warn(JSON.stringify({ job: job.id, unreported: String(error) })))
