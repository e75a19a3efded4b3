import { type SQL, sql } from 'drizzle-orm'
import type { DecodedLine } from '../archive/format.ts'
import { type ChunkCounts, decodeChunk, decodeOutcomes, entriesOfStored, outcomesOfStored } from '../chunk.ts'
import type { EntryStatus } from '../schema.ts'
import { CHUNK_ENTRIES_MAX } from '../settings.ts'
import { jobChunk as chunk } from '../table.ts'
import { countInProgress, type FoundOutcome, type JobState, type ReadChunk } from './view.ts'

/** The chunks that hold entries from one index to before another. */
export const isBetween = (from: number, to: number): SQL =>
  sql`${chunk.first} > ${from - CHUNK_ENTRIES_MAX} AND ${chunk.first} < ${to}
    AND ${chunk.first} + ${chunk.count} > ${from}`

type ChunkRow = { first: number; count: number; entries: string }
type OutcomeRow = { first: number; updatedAt: number; outcomes: string }

export function readChunks(chunks: readonly ChunkRow[], rows: readonly OutcomeRow[]): ReadChunk[] {
  const byChunk = Map.groupBy(rows, ({ first }) => first)
  return chunks.map(row => {
    const outcomes = new Map<number, FoundOutcome>()
    for (const { updatedAt, ...stored } of byChunk.get(row.first) ?? [])
      for (const { index, outcome } of decodeOutcomes(stored)) outcomes.set(index, { outcome, updatedAt })
    return { ...decodeChunk(row), outcomes }
  })
}

/** A chunk that was moved to R2. */
export function readLine({ first, count, entries, outcomes: steps }: DecodedLine): ReadChunk {
  const outcomes = new Map<number, FoundOutcome>()
  for (const { updatedAt, outcomes: stored } of steps)
    for (const { index, outcome } of outcomesOfStored(first, stored)) outcomes.set(index, { outcome, updatedAt })
  return { first, count, entries: entriesOfStored(entries), outcomes }
}

/** How many entries of a chunk have a status. */
export function countMatches(state: JobState, counts: ChunkCounts, status: EntryStatus): number {
  const { count, invalid, success, error } = counts
  const isCancelled = state.job.completionStatus === 'CANCELLED'
  const inProgress = countInProgress(state, counts)
  const notStarted = count - invalid - success - error - inProgress
  const matches: Record<EntryStatus, number> = {
    INVALID: invalid,
    SUCCESS: success,
    ERROR: error,
    IN_PROGRESS: inProgress,
    CANCELLED: isCancelled ? notStarted : 0,
    NOT_STARTED: isCancelled ? 0 : notStarted,
  }
  return matches[status]
}
