import { type SQL, sql } from 'drizzle-orm'
import { guard, isGuardFailure } from '../../db/guard.ts'
import { assignments, returning, type Statement } from '../../db/statement.ts'
import { notBefore } from '../cancelled-counts.ts'
import { type Chunk, type CompletedEntry, countEnded, encodeOutcomes } from '../chunk.ts'
import { insertOutcomes } from '../chunk-rows.ts'
import { isErasedMeanwhile } from '../erasure/pending.ts'
import { JOB_FIELDS, whereJob } from '../job-rows.ts'
import { StaleJobError } from '../kind.ts'
import type { JobRow } from '../rules.ts'
import { backgroundJob as job } from '../table.ts'

const STALE_JOB = 'stale job'
export const isStaleJob = (error: unknown): boolean => isGuardFailure(error, STALE_JOB)

export function throwStale(error: unknown): never {
  if (isErasedMeanwhile(error)) throw new StaleJobError(true)
  throw isStaleJob(error) ? new StaleJobError() : error
}

/** Guards whatever a runner writes: it fails unless the job is where the runner believes it to be. */
export const guardRevision = (team: number, { no, revision }: JobRow, more: SQL): Statement =>
  guard(
    STALE_JOB,
    sql`EXISTS (SELECT 1 FROM ${job}
      WHERE ${whereJob(team, no)} AND ${job.revision} = ${revision} AND ${job.completedAt} = 0 AND ${more})`,
  )

export const guardNotCancelled = (team: number, before: JobRow): Statement =>
  guardRevision(team, before, sql`${job.completionStatus} <> 'CANCELLED'`)

interface StepProgress {
  cursor: number
  ended: readonly CompletedEntry[]
  /** How many entries a dead letter has ended; 0: they were run. */
  giveUpBatchSize: number
  /** Undefined: the job is not due for a new one. */
  wakeAt: number | undefined
  now: number
}

export const startedColumns = (before: JobRow, now: number) =>
  before.completionStatus === 'NOT_STARTED' ? { completionStatus: 'IN_PROGRESS', startedAt: now } : {}

/** Returns the columns that a step writes. One that does not change is left out, because naming it would write its index. */
export function stepColumns(before: JobRow, { cursor, ended, giveUpBatchSize, wakeAt, now }: StepProgress) {
  const { invalid, success, error } = countEnded(ended)
  return {
    ...startedColumns(before, now),
    ...(wakeAt === undefined ? {} : { wakeAt }),
    revision: sql`${job.revision} + 1`,
    cursor,
    invalid: sql`${job.invalid} + ${invalid}`,
    success: sql`${job.success} + ${success}`,
    error: sql`${job.error} + ${error}`,
    giveUpBatchSize,
    updatedAt: notBefore(now),
  }
}

export const updateJob = (team: number, { no }: JobRow, columns: Parameters<typeof assignments>[1]) =>
  returning(sql`UPDATE ${job} SET ${assignments(job, columns)} WHERE ${whereJob(team, no)}`, JOB_FIELDS)

export const insertEnded = (
  team: number,
  { no }: JobRow,
  chunk: Chunk,
  { ended, now }: Pick<StepProgress, 'ended' | 'now'>,
): Statement[] => encodeOutcomes(chunk, ended).map(row => insertOutcomes(team, no, row, now))

/** When the job counts as silent. Undefined while that is far: an index is on it. */
export const renewWakeAt = ({ wakeAt }: JobRow, resendAfterMs: number, now: number): number | undefined =>
  wakeAt < now + resendAfterMs / 2 ? now + resendAfterMs : undefined
