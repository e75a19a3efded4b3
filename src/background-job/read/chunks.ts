import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { type Statement, select } from '../../db/statement.ts'
import type { Scope } from '../../scope.ts'
import { decodeChunk, decodeOutcomes } from '../chunk.ts'
import { CHUNK_FIELDS, OUTCOME_FIELDS } from '../chunk-rows.ts'
import type { EntryStatus } from '../schema.ts'
import { CHUNK_ENTRIES_MAX } from '../settings.ts'
import { jobChunk as chunk, jobOutcome } from '../table.ts'
import { countInProgress, type FoundOutcome, type JobState, type ReadChunk } from './view.ts'

/** How many entries of a chunk have ended, and how: enough to find the chunks that a page is in. */
export interface ChunkCounts {
  first: number
  count: number
  invalid: number
  success: number
  error: number
}

const ofJob = (team: number, job: number): SQL => sql`${chunk.job} = ${job} AND ${chunk.team} = ${team}`

/** The chunks that hold entries from one index to before another. */
export const isBetween = (from: number, to: number): SQL =>
  sql`${chunk.first} > ${from - CHUNK_ENTRIES_MAX} AND ${chunk.first} < ${to}
    AND ${chunk.first} + ${chunk.count} > ${from}`

export const isOneOf = (firsts: readonly number[]): SQL =>
  sql`${chunk.first} IN (SELECT value FROM json_each(${JSON.stringify(firsts)}))`

/** Chunks, and the outcomes of their entries. */
export const selectChunks = (team: number, job: number, where: SQL) =>
  [
    select(CHUNK_FIELDS, sql`FROM ${chunk} WHERE ${ofJob(team, job)} AND ${where} ORDER BY ${chunk.first}`),
    select(
      OUTCOME_FIELDS,
      sql`FROM ${chunk} CROSS JOIN ${jobOutcome} ON ${jobOutcome.job} = ${chunk.job} AND ${jobOutcome.first} = ${chunk.first}
        WHERE ${ofJob(team, job)} AND ${where}`,
    ),
  ] as const

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

/** The counts of all chunks of a job. */
export const selectChunkCounts = (team: number, job: number): Statement<ChunkCounts> =>
  select(
    {
      first: chunk.first,
      count: chunk.count,
      invalid: sql<number>`${chunk.invalid} + coalesce(sum(${jobOutcome.invalid}), 0)`,
      success: sql<number>`coalesce(sum(${jobOutcome.success}), 0)`,
      error: sql<number>`coalesce(sum(${jobOutcome.error}), 0)`,
    },
    sql`FROM ${chunk} LEFT JOIN ${jobOutcome} ON ${jobOutcome.job} = ${chunk.job} AND ${jobOutcome.first} = ${chunk.first}
      WHERE ${ofJob(team, job)} GROUP BY ${chunk.first} ORDER BY ${chunk.first}`,
  )

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

/** What is read in one round trip, and held in memory. */
const TRIP_LENGTH_MAX = 2_000_000
const CHUNKS_PER_TRIP_MAX = 16

/**
 * A job's chunks in their order, those that have entries of a status. Each round trip reads some, as many as are likely
 * to stay within `TRIP_LENGTH_MAX`.
 */
export async function* chunksOf(
  connection: () => Db,
  { team }: Pick<Scope, 'team'>,
  state: JobState,
  status?: EntryStatus,
): AsyncGenerator<ReadChunk> {
  const { job } = state
  const [counts] = await connection().read(selectChunkCounts(team.no, job.no))
  const wanted = counts.filter(each => status === undefined || countMatches(state, each, status) > 0)
  let perTrip = 1
  for (let at = 0; at < wanted.length; ) {
    const firsts = wanted.slice(at, at + perTrip).map(({ first }) => first)
    const [chunks, outcomes] = await connection().read(...selectChunks(team.no, job.no, isOneOf(firsts)))
    const texts = [...chunks.map(row => row.entries), ...outcomes.map(row => row.outcomes)]
    const length = texts.reduce((sum, text) => sum + text.length, 0)
    yield* readChunks(chunks, outcomes)
    at += firsts.length
    const fitting = Math.floor((TRIP_LENGTH_MAX * firsts.length) / Math.max(1, length))
    perTrip = Math.max(1, Math.min(CHUNKS_PER_TRIP_MAX, fitting))
  }
}
