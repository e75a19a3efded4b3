import { type SQL, sql } from 'drizzle-orm'
import { notBefore, whereOutstanding } from '../../background-job/cancelled-counts.ts'
import { getChunkEnd } from '../../background-job/chunk.ts'
import { selectChunkAt, selectNoChunk } from '../../background-job/chunk-rows.ts'
import { toOutcome } from '../../background-job/entry.ts'
import { guardNobodyErased } from '../../background-job/erasure/pending.ts'
import { insertEndedEvent } from '../../background-job/events.ts'
import { selectJob, updateCancelled } from '../../background-job/job-rows.ts'
import type { JobRow } from '../../background-job/rules.ts'
import { continueFromRow, type JobSlice, type Wait } from '../../background-job/run/slice.ts'
import {
  guardNotCancelled,
  guardRevision,
  insertEnded,
  isStaleJob,
  renewWakeAt,
  startedColumns,
  stepColumns,
  throwStale,
  updateJob,
} from '../../background-job/run/statements.ts'
import { backgroundJob as job } from '../../background-job/table.ts'
import { selectQueuedJob } from '../../background-job/team-concurrency.ts'
import { type Statement, statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { AppError } from '../../errors.ts'
import { HOUR_MS } from '../../time-units.ts'
import type { Batch, EntryDecision } from './batch.ts'
import { toChange, toFlight } from './step-rules.ts'

/** A paused job is woken when it can go on; besides, the cron wakes it this often. */
const PAUSE_MS = HOUR_MS

/** The decisions for the first entries of a batch, and why the others cannot be run now. */
interface BatchDecision {
  decisions: readonly EntryDecision[]
  statements: Statement[]
  wait?: Wait | undefined
}

const selectNoJob = statement<JobRow>(sql`SELECT 0 WHERE 0`)

/**
 * Writes that the entries of a batch are in flight, with the statements that keep other runners from sending them again.
 * From here on they can't be cancelled, and the job must not have been. `wasWritten` tells whether it was written although
 * the database's response says otherwise, or was lost.
 */
export async function markInFlight(
  slice: JobSlice,
  batch: Batch,
  {
    decisions,
    statements,
    wasWritten,
  }: {
    decisions: readonly EntryDecision[]
    statements: Statement[]
    wasWritten: (error: unknown) => Promise<boolean>
  },
): Promise<void> {
  const { job: before, team, engine, cost } = slice
  const now = Date.now()
  const { kept, ...position } = toFlight(before, batch, { decisions, now })
  const update = updateJob(team.no, before, {
    ...startedColumns(before, now),
    ...(before.pausedBy === null ? {} : { pausedBy: null }),
    ...position,
    revision: sql`${job.revision} + 1`,
    wakeAt: now + engine.settings.resendAfterMs,
    updatedAt: notBefore(now),
    pausedBecause: null,
    pausedAt: null,
  })
  const writer = { db: engine.openDb(cost), idempotency: null }
  const guards = [guardNotCancelled(team.no, before), guardNobodyErased(team.no, slice.lastErasureAt)]
  const effect = [update, ...statements] as const
  const row = await write(writer, { guards, effect, outcome: null }).then(
    ([updated]) => updated.rows[0],
    async (error: unknown) => {
      if (isStaleJob(error) || !(await wasWritten(error))) return throwStale(error)
      const [[found]] = await engine.openDb(cost).read(selectJob(team.no, before.no))
      return found?.revision === before.revision + 1 ? found : undefined
    },
  )
  batch.inFlight = kept
  continueFromRow(slice, row)
}

/** Writes effects and outcomes of a batch in one transaction. A cancelled job only receives those of outstanding entries. */
export async function commitBatch(
  slice: JobSlice,
  batch: Batch,
  decision: BatchDecision,
  giveUpBatchSize = 0,
): Promise<void> {
  const { job: before, team, engine, cost } = slice
  const { resendAfterMs, pauseMsMax } = engine.settings
  const now = Date.now()
  // What an earlier batch waits for, the job waits for.
  const wanted = { ...decision, wait: decision.wait ?? slice.wait }
  const { decisions, statements, wait } = endLongPause(before, batch, wanted, { pauseMsMax, now })
  const { ended, cursor, unfinished, outstanding } = toChange(before, batch, decisions)
  const wakeAt = wait
    ? now + (wait.pause ? PAUSE_MS : wait.ms + resendAfterMs)
    : renewWakeAt(before, resendAfterMs, now)
  const update = updateJob(team.no, before, {
    ...stepColumns(before, { cursor, ended, giveUpBatchSize, wakeAt, now }),
    unfinished,
    outstanding,
    // The cron may have taken it away since the job was loaded.
    ...(before.pausedBy !== null || wait?.pause ? { pausedBy: wait?.pause?.plugin ?? null } : {}),
    pausedBecause: wait?.pause?.because ?? null,
    pausedAt: wanted.wait?.pause ? (before.pausedAt ?? now) : isStillStopped(decisions) ? before.pausedAt : null,
  })
  const end = getChunkEnd(batch.chunk)
  const isNextRead = slice.chunk !== undefined && slice.chunk.first >= end
  const comesToNext = batch.source === 'cursor' && !isNextRead && cursor >= end && cursor < before.total
  const effect = [
    update,
    // It may have been cancelled since it was loaded; then it waits for what is outstanding, and for nothing else.
    before.outstanding > 0 ? updateCancelled(team.no, before.no, now) : selectNoJob,
    comesToNext ? selectChunkAt(team.no, before.no, cursor) : selectNoChunk,
    selectQueuedJob(team.no, before, now),
    ...insertEnded(team.no, before, batch.chunk, { ended, now }),
    ...statements,
    ...(before.outstanding > 0 ? [insertEndedEvent(team.no, before.no, now)] : []),
  ] as const
  const writer = { db: engine.openDb(cost), idempotency: null }
  const guards = [guardRevision(team.no, before, MAY_RECEIVE), guardNobodyErased(team.no, slice.lastErasureAt)]
  const [updated, cancelled, next, queued] = await write(writer, { guards, effect, outcome: null }).catch(throwStale)
  slice.wait = cancelled.rows[0] ? undefined : wait
  slice.isAwaited = queued.rows.length > 0
  // The next chunk may not be there to be read: what was written is told all the same.
  continueFromRow(slice, cancelled.rows[0] ?? updated.rows[0])
  if (next.rows[0]) slice.chunk = await slice.readChunk(engine.openDb(cost), next.rows[0])
}

const MAY_RECEIVE: SQL = sql`(${job.completionStatus} <> 'CANCELLED' OR ${whereOutstanding})`

/** A job that was paused for too long ends its entries, a batch at a time, with the reason of the pause. */
function endLongPause(
  { pausedAt }: JobRow,
  { entries }: Batch,
  decision: BatchDecision,
  { pauseMsMax, now }: { pauseMsMax: number; now: number },
): BatchDecision {
  const pause = decision.wait?.pause
  if (!pause || pausedAt === null || now - pausedAt < pauseMsMax) return decision
  const outcome = toOutcome(new AppError('conflict', `the job was paused for too long: ${pause.because}`))
  const rest = entries.slice(decision.decisions.length).map((): EntryDecision => ({ mode: 'ended', outcome }))
  return { decisions: [...decision.decisions, ...rest], statements: decision.statements }
}

/** Another look at what is stopped does not end the pause of a job. */
const isStillStopped = (decisions: readonly EntryDecision[]): boolean =>
  decisions.length > 0 && decisions.every(each => each.mode === 'skipped' && each.isStopped)
