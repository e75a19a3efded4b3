import { StatementBudgetError, StorageError } from '../../db/storage-error.ts'
import { withTimeout } from '../../timeout.ts'
import { cancelCollecting, collectStep } from '../collect/collect-step.ts'
import { toOutcome } from '../entry.ts'
import { findQueueKind, StaleJobError } from '../kind.ts'
import { type JobMessage, toLogFields } from '../queue.ts'
import { hasEnded, isCollecting, isDone } from '../rules.ts'
import { endSlice } from './end-slice.ts'
import type { JobEngine } from './engine.ts'
import { isTooMuchAtOnce, toFailureReason } from './failure.ts'
import { plainRunner } from './plain-runner.ts'
import { progressTimeLimitMs } from './report-progress.ts'
import { type JobRunner, type JobSlice, startSlice } from './slice.ts'
import { getEntriesAtAttempt } from './step-size-rules.ts'

/** Runs a slice of a job; the rest gets another message, so that other jobs have their turn. */
export async function runJob(engine: JobEngine, message: JobMessage, attempts: number): Promise<void> {
  const slice = await startSlice(engine, message)
  if (!slice || hasEnded(slice.job) || (slice.job.startAt ?? 0) > slice.startedAt) return
  if (attempts === 1 && slice.job.revision !== message.revision) return
  if (!slice.mayRun || slice.isSuspended) return
  const { cursor } = slice.job
  try {
    if (!slice.wait) await getRunner(slice).runSlice(slice, getEntriesAtAttempt(engine.settings.chunkEntries, attempts))
  } catch (error) {
    if (error instanceof StaleJobError && !error.isErasure) return
    // What was done before stands. The rest gets an invocation of its own, which may run as many statements again.
    if (!(error instanceof StaleJobError || (error instanceof StatementBudgetError && slice.steps > 0))) throw error
  } finally {
    await awaitReports(slice)
    logSlice(slice, cursor)
  }
  await endSlice(slice)
}

/** Runs the job of a dead letter: one entry is tried alone; if it fails again, it ends with an error. */
export async function runDeadLetter(engine: JobEngine, message: JobMessage): Promise<void> {
  const slice = await startSlice(engine, message)
  if (!slice || slice.isSuspended || hasEnded(slice.job)) return
  try {
    if (isCollecting(slice.job)) await collectStep(slice)
    else if (!isDone(slice.job) && !slice.wait) await getRunner(slice).runStep(slice, 1)
  } catch (error) {
    if (error instanceof StaleJobError) return error.isErasure ? endSlice(slice) : undefined
    // The entries are not to blame for the database: they are tried again when it works.
    if (error instanceof StorageError && !isTooMuchAtOnce(error)) throw error
    if (isCollecting(slice.job)) await cancelCollecting(slice, toFailureReason(error, undefined))
    else {
      // Twice as many each time, so that the job can go on.
      const entriesMax = Math.max(1, slice.job.giveUpBatchSize * 2)
      await getRunner(slice).endEntries(slice, entriesMax, kind => toOutcome(toFailureReason(error, kind)))
    }
  }
  await awaitReports(slice)
  await endSlice(slice)
}

const getRunner = ({ engine, job }: JobSlice): JobRunner =>
  findQueueKind(engine.kinds, job.queue)?.runner ?? plainRunner

const awaitReports = ({ engine, reports }: JobSlice): Promise<unknown> =>
  withTimeout(progressTimeLimitMs(engine.settings), () => Promise.allSettled(reports)).catch(() => {})

/** One line a slice: how far the job came, and what that cost. */
function logSlice({ job, team, cost, startedAt }: JobSlice, from: number): void {
  const { trips, statements, rowsRead, rowsWritten } = cost
  const { cursor: to, total } = job
  const done = { from, to, total, ms: Date.now() - startedAt }
  const line = { ...toLogFields(team, job), ...done, cost: { trips, statements, rowsRead, rowsWritten } }
  console.info(JSON.stringify(line))
}
