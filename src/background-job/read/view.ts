import { createdAtOf } from '../../ids.ts'
import type { Team } from '../../scope.ts'
import { type Chunk, outcomeAt } from '../chunk.ts'
import type { Entry, Outcome } from '../entry.ts'
import { countsOf, deferredOf, entryId, hasEnded, type JobRow, statusMessage } from '../rules.ts'
import type { EntryStatus, JobEntry, JobShown } from '../schema.ts'

export const viewJob = ({ id: team }: Pick<Team, 'id'>, job: JobRow): JobShown => ({
  id: job.id,
  createdAt: createdAtOf(job.no),
  updatedAt: job.updatedAt,
  startedAt: job.startedAt,
  completedAt: job.completedAt,
  completionStatus: job.completionStatus,
  statusMessage: statusMessage(job),
  team,
  type: job.type,
  createdBy: job.createdBy,
  procedure: job.procedure,
  total: job.total,
  startAt: job.startAt,
  retryOf: job.retryOf,
})

export const metaOfJob = (job: JobRow) => ({ bjEntryCompletionStatusVsCount: countsOf(job) })

/** What becomes of entries that have no outcome depends on their job, and on whether its runner is at them. */
export function statusAt(job: JobRow, index: number, outcome: Outcome | undefined): EntryStatus {
  if (outcome) return outcome.status
  if (isRunning(job) && job.cursor <= index && index < job.inProgressTo) return 'IN_PROGRESS'
  if (!hasEnded(job) && deferredOf(job).some(each => each.index === index)) return 'IN_PROGRESS'
  return job.completionStatus === 'CANCELLED' ? 'CANCELLED' : 'NOT_STARTED'
}

const isRunning = (job: JobRow): boolean => !hasEnded(job) && job.inProgress > 0

/** How many of a chunk's entries are in progress: those at the cursor, and those put off. */
export function inProgressIn(job: JobRow, { first, count }: Pick<Chunk, 'first' | 'count'>): number {
  const isIn = (index: number) => first <= index && index < first + count
  const putOff = hasEnded(job) ? 0 : deferredOf(job).filter(({ index }) => isIn(index)).length
  return putOff + (isRunning(job) && isIn(job.cursor) ? job.inProgress : 0)
}

const EMPTY: Entry = { apiType: '', apiData: {} }

export function viewEntry({ id: team }: Pick<Team, 'id'>, job: JobRow, chunk: Chunk, offset: number): JobEntry {
  const { apiType, apiData, invalid } = chunk.entries[offset] ?? EMPTY
  const outcome = outcomeAt(chunk, offset)
  const createdAt = createdAtOf(job.no)
  const completionStatus = statusAt(job, chunk.first + offset, outcome)
  const isInvalid = outcome?.status === 'INVALID'
  const failure = outcome && outcome.status !== 'SUCCESS' ? outcome.result : undefined
  return {
    id: entryId(job.id, chunk.first + offset),
    index: chunk.first + offset,
    createdAt,
    updatedAt: outcome && !invalid ? chunk.updatedAt : createdAt,
    data: { apiType, apiData: { ...(job.procedure === null ? {} : { procedureId: job.procedure }), ...apiData } },
    validationStatus: isInvalid ? 'ERROR' : 'SUCCESS',
    validationMessage: isInvalid ? (failure?.message ?? '') : '',
    validationResult: isInvalid ? failure : null,
    completionStatus,
    completionMessage: failure?.message ?? (completionStatus === 'CANCELLED' ? 'cancelled before it started' : ''),
    completionResult: outcome?.result ?? null,
    team,
    backgroundJob: job.id,
    createdBy: job.createdBy,
  }
}
export type EntryView = ReturnType<typeof viewEntry>
