import { type SQL, sql } from 'drizzle-orm'
import type { DecodedLine } from '../archive/format.ts'
import {
  type ChunkCounts,
  decodeChunk,
  decodeOutcomes,
  getChunkEnd,
  parseStoredEntries,
  parseStoredOutcomes,
} from '../chunk.ts'
import type { ReadTexts } from '../object/read-texts.ts'
import type { EntryStatus } from '../schema.ts'
import { CHUNK_ENTRIES_MAX } from '../settings.ts'
import { jobChunk as chunk } from '../table.ts'
import { countOutstanding, isRunning, type JobState, type OutcomeResult, type ReadChunk } from './view.ts'

/** The chunks that hold entries from one index to before another. */
const whereBetween = (from: number, to: number): SQL =>
  sql`${chunk.first} > ${from - CHUNK_ENTRIES_MAX} AND ${chunk.first} < ${to}
    AND ${chunk.first} + ${chunk.count} > ${from}`

/** As many of them as a page of small entries is in. They are of bounded size each; the others are read when there is room. */
const CHUNKS_AT_ONCE = 2

/** The first of the chunks that hold entries from one index to before another. */
export const whereFirstBetween = (team: number, job: number, from: number, to: number): SQL =>
  sql`${chunk.first} IN (SELECT ${chunk.first} FROM ${chunk} WHERE ${chunk.team} = ${team} AND ${chunk.job} = ${job} AND ${whereBetween(from, to)}
    ORDER BY ${chunk.first} LIMIT ${CHUNKS_AT_ONCE})`

type ChunkRow = { first: number; count: number; entries: string }
type OutcomeRow = { first: number; updatedAt: number; outcomes: string }

/** The same rows with their texts, wherever these stand, and how long all are. */
export async function readRowTexts(readTexts: ReadTexts, chunks: readonly ChunkRow[], rows: readonly OutcomeRow[]) {
  const texts = await readTexts([...chunks.map(({ entries }) => entries), ...rows.map(({ outcomes }) => outcomes)])
  return {
    chunks: chunks.map((row, nth) => ({ ...row, entries: texts[nth] ?? row.entries })),
    outcomes: rows.map((row, nth) => ({ ...row, outcomes: texts[chunks.length + nth] ?? row.outcomes })),
    length: texts.reduce((sum, text) => sum + text.length, 0),
  }
}

export function readChunks(chunks: readonly ChunkRow[], rows: readonly OutcomeRow[]): ReadChunk[] {
  const byChunk = Map.groupBy(rows, ({ first }) => first)
  return chunks.map(row => {
    const outcomes = new Map<number, OutcomeResult>()
    for (const { updatedAt, ...stored } of byChunk.get(row.first) ?? [])
      for (const { index, outcome } of decodeOutcomes(stored)) outcomes.set(index, { outcome, updatedAt })
    return { ...decodeChunk(row), outcomes }
  })
}

/** A chunk that was moved to R2. */
export function readLine({ first, count, entries, outcomes: steps }: DecodedLine): ReadChunk {
  const outcomes = new Map<number, OutcomeResult>()
  for (const { updatedAt, outcomes: stored } of steps)
    for (const { index, outcome } of parseStoredOutcomes(first, stored)) outcomes.set(index, { outcome, updatedAt })
  return { first, count, entries: parseStoredEntries(entries), outcomes }
}

/**
 * How many entries of each chunk have a status, of all chunks of a job in their order. Those that a runner is at may stand
 * in several chunks: they are the first ones from the cursor on that have not ended.
 */
export function countMatches(state: JobState, chunks: readonly ChunkCounts[], status: EntryStatus): number[] {
  const { job } = state
  const isCancelled = job.completionStatus === 'CANCELLED'
  let running = isRunning(job) ? job.inProgress : 0
  return chunks.map(counts => {
    const { count, invalid, success, error } = counts
    const outstanding = countOutstanding(state, counts)
    const open = count - invalid - success - error - outstanding
    const here = job.cursor < getChunkEnd(counts) ? Math.min(running, open) : 0
    running -= here
    const matches: Record<EntryStatus, number> = {
      INVALID: invalid,
      SUCCESS: success,
      ERROR: error,
      IN_PROGRESS: outstanding + here,
      CANCELLED: isCancelled ? open - here : 0,
      NOT_STARTED: isCancelled ? 0 : open - here,
    }
    return matches[status]
  })
}
