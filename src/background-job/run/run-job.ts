import { StatementBudgetError, StorageError } from '../../db/storage-error.ts'
import { withTimeout } from '../../timeout.ts'
import { cancelCollecting, collectStep } from '../collect/collect-step.ts'
import { toOutcome } from '../entry.ts'
import { findQueueKind, StaleJobError } from '../kind.ts'
import { type JobMessage, toLogFields } from '../queue.ts'
import { hasEnded, isCollecting, isDone, stepEntriesMax } from '../rules.ts'
import { endRun } from './end-run.ts'
import { isTooMuchAtOnce, toFailureReason } from './failure.ts'
import { type JobEngine, type JobRun, type JobRunner, startRun } from './job-run.ts'
import { plainRunner } from './plain-runner.ts'
import { progressTimeLimitMs } from './report.ts'

/** Runs a slice of a job; the rest gets another message, so that other jobs have their turn. */
export async function runJob(engine: JobEngine, message: JobMessage, attempts: number): Promise<void> {
  const run = await startRun(engine, message)
  if (!run || hasEnded(run.job) || (run.job.startAt ?? 0) > run.startedAt) return
  if (attempts === 1 && run.job.revision !== message.revision) return
  if (!run.mayRun || run.isSuspended) return
  const { cursor } = run.job
  try {
    if (!run.wait) await getRunner(run).runSlice(run, stepEntriesMax(engine.settings.chunkEntries, attempts))
  } catch (error) {
    if (error instanceof StaleJobError && !error.isErasure) return
    // What was done before stands. The rest gets an invocation of its own, which may run as many statements again.
    if (!(error instanceof StaleJobError || (error instanceof StatementBudgetError && run.steps > 0))) throw error
  } finally {
    await awaitReports(run)
    logRun(run, cursor)
  }
  await endRun(run)
}

/** Runs the job of a dead letter: one entry is tried alone; if it fails again, it ends with an error. */
export async function runDeadLetter(engine: JobEngine, message: JobMessage): Promise<void> {
  const run = await startRun(engine, message)
  if (!run || run.isSuspended || hasEnded(run.job)) return
  try {
    if (isCollecting(run.job)) await collectStep(run)
    else if (!isDone(run.job) && !run.wait) await getRunner(run).runStep(run, 1)
  } catch (error) {
    if (error instanceof StaleJobError) return error.isErasure ? endRun(run) : undefined
    // The entries are not to blame for the database: they are tried again when it works.
    if (error instanceof StorageError && !isTooMuchAtOnce(error)) throw error
    if (isCollecting(run.job)) await cancelCollecting(run, toFailureReason(error, undefined))
    else {
      // Twice as many each time, so that the job can go on.
      const entriesMax = Math.max(1, run.job.giveUpBatchSize * 2)
      await getRunner(run).endEntries(run, entriesMax, kind => toOutcome(toFailureReason(error, kind)))
    }
  }
  await awaitReports(run)
  await endRun(run)
}

const getRunner = ({ engine, job }: JobRun): JobRunner => findQueueKind(engine.kinds, job.queue)?.runner ?? plainRunner

const awaitReports = ({ engine, reports }: JobRun): Promise<unknown> =>
  withTimeout(progressTimeLimitMs(engine.settings), () => Promise.allSettled(reports)).catch(() => {})

/** One line a slice: how far the job came, and what that cost. */
function logRun({ job, team, cost, startedAt }: JobRun, from: number): void {
  const { trips, statements, rowsRead, rowsWritten } = cost
  const { cursor: to, total } = job
  const done = { from, to, total, ms: Date.now() - startedAt }
  const line = { ...toLogFields(team, job), ...done, cost: { trips, statements, rowsRead, rowsWritten } }
  console.info(JSON.stringify(line))
}
