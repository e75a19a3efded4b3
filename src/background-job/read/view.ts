import { readCreatedAt } from '../../ids.ts'
import type { Team } from '../../scope.ts'
import { type Chunk, getChunkEnd } from '../chunk.ts'
import type { Entry, Outcome } from '../entry.ts'
import type { FailedStatus } from '../failure-rules.ts'
import {
  countEntries,
  entryId,
  getJobProgress,
  hasEnded,
  isCollecting,
  isJobPaused,
  type JobRow,
  type ReadJobRow,
  statusMessage,
} from '../rules.ts'
import type { EntryStatus, JobEntry, JobShown } from '../schema.ts'
import { formatTitle } from '../title.ts'
import { listOutstanding } from '../unfinished.ts'

export const viewJob = ({ id: team }: Pick<Team, 'id'>, job: ReadJobRow): JobShown => ({
  id: job.id,
  createdAt: readCreatedAt(job.no),
  updatedAt: job.updatedAt,
  startedAt: job.startedAt,
  completedAt: job.completedAt,
  completionStatus: job.completionStatus,
  title: formatTitle(job, { isCollecting: isCollecting(job) }),
  statusMessage: statusMessage(job),
  team,
  type: job.type,
  createdBy: job.createdBy,
  procedure: job.procedure,
  total: job.total,
  startAt: job.startAt,
  retryOf: job.retryOf,
  dryRun: job.isDryRun === 1,
  applyOf: job.applyOf,
  undoOf: job.undoOf,
  progress: getJobProgress(job),
  ...(isCollecting(job) ? { isCollecting: true } : {}),
  ...(job.pausedBecause !== null && isJobPaused(job) ? { pausedBecause: job.pausedBecause } : {}),
})

export const toJobMeta = (job: JobRow) => ({ bjEntryCompletionStatusVsCount: countEntries(job) })

/** A job, read once for all of its entries that are looked at. */
export interface JobState {
  job: JobRow
  /** The indexes of the entries that are in flight or delayed. */
  outstanding: ReadonlySet<number>
}

export const toJobState = (job: JobRow): JobState => ({
  job,
  outstanding: new Set(hasEnded(job) ? [] : listOutstanding(job).map(({ index }) => index)),
})

/** The outcome of an entry, and its time. */
export interface OutcomeResult {
  outcome: Outcome
  updatedAt: number
}

/** A chunk with the outcomes of its entries so far, by index. */
export interface ReadChunk extends Omit<Chunk, 'bytes'> {
  outcomes: ReadonlyMap<number, OutcomeResult>
}

function getOutcome({ first, entries, outcomes }: ReadChunk, index: number): Outcome | undefined {
  const invalid = entries[index - first]?.invalid
  return invalid === undefined ? outcomes.get(index)?.outcome : { status: 'INVALID', result: invalid }
}

/** The outcome of an entry that failed. */
export function getFailure(chunk: ReadChunk, index: number): Extract<Outcome, { status: FailedStatus }> | undefined {
  const outcome = getOutcome(chunk, index)
  return outcome?.status === 'SUCCESS' ? undefined : outcome
}

/** What becomes of entries that have no outcome depends on their job, and on whether its runner is at them. */
export function getStatus({ job, outstanding }: JobState, chunk: ReadChunk, index: number): EntryStatus {
  const outcome = getOutcome(chunk, index)
  if (outcome) return outcome.status
  if (isRunning(job) && job.cursor <= index && index < job.inProgressTo) return 'IN_PROGRESS'
  if (outstanding.has(index)) return 'IN_PROGRESS'
  return job.completionStatus === 'CANCELLED' ? 'CANCELLED' : 'NOT_STARTED'
}

export const isRunning = (job: JobRow): boolean => !hasEnded(job) && job.inProgress > 0

/** How many of a chunk's entries are in flight or delayed. */
export const countOutstanding = ({ outstanding }: JobState, chunk: Pick<Chunk, 'first' | 'count'>): number =>
  [...outstanding].filter(index => chunk.first <= index && index < getChunkEnd(chunk)).length

const EMPTY: Entry = { apiType: '', apiData: {} }

/** What the database knew when it was restored is not all that was done. */
const cancelledMessage = ({ interruptedAt }: JobRow): string =>
  interruptedAt === null ? 'cancelled before it started' : 'the database was restored: whether it was sent is not known'

/** Results have the key of the process that was found; an entry that named it by its key has that. */
function primaryKeyIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const key: unknown = Reflect.get(value, 'primaryKey') ?? Reflect.get(value, 'primaryKeyValue')
  return typeof key === 'string' || typeof key === 'number' ? String(key) : undefined
}

export function viewEntry({ id: team }: Pick<Team, 'id'>, state: JobState, chunk: ReadChunk, index: number): JobEntry {
  const { job } = state
  const { apiType, apiData } = chunk.entries[index - chunk.first] ?? EMPTY
  const outcome = getOutcome(chunk, index)
  const createdAt = readCreatedAt(job.no)
  const completionStatus = getStatus(state, chunk, index)
  const isInvalid = outcome?.status === 'INVALID'
  const failure = outcome && outcome.status !== 'SUCCESS' ? outcome.result : undefined
  return {
    id: entryId(job.id, index),
    index,
    createdAt,
    updatedAt: chunk.outcomes.get(index)?.updatedAt ?? createdAt,
    data: { apiType, apiData: { ...(job.procedure === null ? {} : { procedureId: job.procedure }), ...apiData } },
    validationStatus: isInvalid ? 'ERROR' : 'SUCCESS',
    validationMessage: isInvalid ? (failure?.message ?? '') : '',
    validationResult: isInvalid ? failure : null,
    primaryKey: primaryKeyIn(outcome?.result) ?? primaryKeyIn(apiData) ?? null,
    completionStatus,
    completionMessage: failure?.message ?? (completionStatus === 'CANCELLED' ? cancelledMessage(job) : ''),
    completionResult: outcome?.result ?? null,
    team,
    backgroundJob: job.id,
    createdBy: job.createdBy,
  }
}
export type EntryView = ReturnType<typeof viewEntry>
