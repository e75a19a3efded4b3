import { type SQL, sql } from 'drizzle-orm'
import { guard, isGuardFailure } from '../../../db/guard.ts'
import { assignments, returning, type Statement, statement } from '../../../db/statement.ts'
import { encodeOutcomes } from '../../chunk.ts'
import { endOfChunkAt, insertOutcomes, runnableIn, selectChunkAt, selectNoChunk } from '../../chunk-rows.ts'
import { hasOutstanding, isJob, JOB_FIELDS, notBefore, updateCancelled } from '../../job-rows.ts'
import type { Wait } from '../../kind.ts'
import type { JobRow } from '../../rules.ts'
import { backgroundJob as job } from '../../table.ts'
import type { PlannedStep, StepChange } from './step-rules.ts'

const STALE_JOB = 'stale job'
export const isStaleJob = (error: unknown): boolean => isGuardFailure(error, STALE_JOB)

/** Guards whatever a runner writes: it fails unless the job is where the runner believes it to be. */
const guardRevision = (team: number, { no, revision }: JobRow, more: SQL): Statement =>
  guard(
    STALE_JOB,
    sql`EXISTS (SELECT 1 FROM ${job}
      WHERE ${isJob(team, no)} AND ${job.revision} = ${revision} AND ${job.completedAt} = 0 AND ${more})`,
  )

/** Of what is only written while nobody has cancelled the job. */
export const guardNotCancelled = (team: number, before: JobRow): Statement =>
  guardRevision(team, before, sql`${job.completionStatus} <> 'CANCELLED'`)

/** As `selectNoChunk`. */
const selectNoJob = statement<JobRow>(sql`SELECT 0 WHERE 0`)

export interface StepWrite {
  change: StepChange
  plan: PlannedStep
  wait: Wait | undefined
  /** Whether this turn goes on with what comes at the cursor. */
  goesOn: boolean
  holdsNextChunk: boolean
  giveUpBatchSize: number
  pausedAt: number | null
  /** Undefined: the job is not due for a new one. */
  wakeAt: number | undefined
  now: number
}

/**
 * What a step writes besides its effects. What an index is on is only named where it changes: naming it is what the index
 * is written for. A cancelled job only receives the outcomes of entries that are outstanding.
 */
export function stepStatements(team: number, before: JobRow, step: StepWrite) {
  const { change, plan, wait, goesOn, now } = step
  const { no } = before
  const waitsForOthers = before.pausedBy !== null || wait?.pause !== undefined
  // The entries of the chunk that begins at the cursor are in progress from now on, if this turn goes on to them.
  const inProgress = goesOn
    ? {
        inProgress: sql`coalesce(${runnableIn(no, change.cursor)}, ${change.runnable})`,
        inProgressTo: sql`coalesce(${endOfChunkAt(no, change.cursor)}, ${plan.chunk.first + plan.chunk.count})`,
      }
    : { inProgress: 0, inProgressTo: 0 }
  const update = returning(
    sql`UPDATE ${job} SET ${assignments(job, {
      ...(before.completionStatus === 'NOT_STARTED' ? { completionStatus: 'IN_PROGRESS', startedAt: now } : {}),
      ...(step.wakeAt === undefined ? {} : { wakeAt: step.wakeAt }),
      // The cron may have taken it away since the job was loaded.
      ...(waitsForOthers ? { pausedBy: wait?.pause?.plugin ?? null } : {}),
      pausedBecause: wait?.pause?.because ?? null,
      pausedAt: step.pausedAt,
      revision: sql`${job.revision} + 1`,
      cursor: change.cursor,
      unfinished: change.unfinished,
      outstanding: change.outstanding,
      invalid: sql`${job.invalid} + ${change.added.invalid}`,
      success: sql`${job.success} + ${change.added.success}`,
      error: sql`${job.error} + ${change.added.error}`,
      giveUpBatchSize: step.giveUpBatchSize,
      updatedAt: notBefore(now),
      ...inProgress,
    })} WHERE ${isJob(team, no)}`,
    JOB_FIELDS,
  )
  const end = plan.chunk.first + plan.chunk.count
  const comesToNext =
    plan.source === 'cursor' && !step.holdsNextChunk && change.cursor >= end && change.cursor < before.total
  return {
    guards: [guardRevision(team, before, sql`(${job.completionStatus} <> 'CANCELLED' OR ${hasOutstanding})`)],
    update,
    // It may have been cancelled since it was loaded; then it waits for what is outstanding, and for nothing else.
    updateCancelled: before.outstanding > 0 ? updateCancelled(team, no, now) : selectNoJob,
    nextChunk: comesToNext ? selectChunkAt(team, no, change.cursor) : selectNoChunk,
    outcomes: encodeOutcomes(plan.chunk, change.ended).map(row => insertOutcomes(team, no, row, now)),
  }
}

/** Before effects outside of the database: from here on the entries can't be cancelled, and the job must not have been. */
export function flightStatements(
  team: number,
  before: JobRow,
  change: Pick<StepChange, 'cursor' | 'unfinished' | 'outstanding'>,
  { wakeAt, now }: { wakeAt: number; now: number },
) {
  const update = returning(
    sql`UPDATE ${job} SET ${assignments(job, {
      ...(before.completionStatus === 'NOT_STARTED' ? { completionStatus: 'IN_PROGRESS', startedAt: now } : {}),
      ...(before.pausedBy === null ? {} : { pausedBy: null }),
      ...change,
      revision: sql`${job.revision} + 1`,
      wakeAt,
      updatedAt: notBefore(now),
      inProgress: 0,
      inProgressTo: 0,
      pausedBecause: null,
      pausedAt: null,
    })} WHERE ${isJob(team, before.no)}`,
    JOB_FIELDS,
  )
  return { guards: [guardNotCancelled(team, before)], update }
}
