import { withTimeout } from '../../timeout.ts'
import { finishStatement } from '../job-rows.ts'
import type { JobRow } from '../rules.ts'
import type { JobSettings } from '../settings.ts'
import { dbOf, type Run } from './runner.ts'

/** Watching may wait; the work must not wait for those who watch. */
const COUNTER_PATIENCE_MS = 5_000

export const counterOf = (env: Pick<Env, 'JOB_COUNTER'>, team: number, no: number) =>
  env.JOB_COUNTER.get(env.JOB_COUNTER.idFromName(`${team}/${no}`))

const patience = ({ patienceMs }: JobSettings) => Math.min(patienceMs, COUNTER_PATIENCE_MS)

/** Tells the job's object where the job is. What goes wrong here is made up for by whoever watches. */
export const report = (
  env: Pick<Env, 'JOB_COUNTER'>,
  settings: JobSettings,
  team: number,
  job: JobRow,
): Promise<unknown> =>
  withTimeout(
    patience(settings),
    // A binding may throw before there is a promise.
    (async () => counterOf(env, team, job.no).report(job))(),
  ).catch((error: unknown) => console.warn(JSON.stringify({ job: job.id, unreported: String(error) })))

export const settle = (settings: JobSettings, reports: Promise<unknown>[]): Promise<unknown> =>
  withTimeout(patience(settings), Promise.allSettled(reports)).catch(() => {})

/** The job's object decides that it is complete. If it can't be reached, the same statement is run without it. */
export async function finish(env: Pick<Env, 'JOB_COUNTER'>, run: Run, team: number, no: number): Promise<void> {
  try {
    await withTimeout(patience(run.settings), (async () => counterOf(env, team, no).finish(team, no))())
  } catch (error) {
    console.warn(JSON.stringify({ job: run.turn.job.id, unreported: String(error) }))
    await dbOf(run).batch([finishStatement(team, no, Date.now())])
  }
}
