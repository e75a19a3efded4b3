import { createdAtOf } from '../ids.ts'
import type { Team } from '../scope.ts'
import { type Chunk, outcomeAt } from './chunk.ts'
import type { Entry, Outcome } from './entry.ts'
import { countsOf, entryId, hasEnded, type JobRow, statusMessage } from './rules.ts'
import type { EntryStatus, JobEntry, JobShown } from './schema.ts'

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
  return job.completionStatus === 'CANCELLED' ? 'CANCELLED' : 'NOT_STARTED'
}

const isRunning = (job: JobRow): boolean => !hasEnded(job) && job.inProgress > 0

/** How many of a chunk's entries are in progress: they are all of one chunk, the one that the cursor is in. */
export const inProgressIn = (job: JobRow, { first, count }: Pick<Chunk, 'first' | 'count'>): number =>
  isRunning(job) && first <= job.cursor && job.cursor < first + count ? job.inProgress : 0

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
