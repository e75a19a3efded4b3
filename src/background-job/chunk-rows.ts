import { type SQL, sql } from 'drizzle-orm'
import { insertInto, type Statement, select, statement } from '../db/statement.ts'
import type { OutcomeRow } from './chunk.ts'
import { jobChunk as chunk, jobOutcome } from './table.ts'

export const CHUNK_FIELDS = { first: chunk.first, count: chunk.count, entries: chunk.entries }
export const OUTCOME_FIELDS = {
  first: jobOutcome.first,
  updatedAt: jobOutcome.updatedAt,
  outcomes: jobOutcome.outcomes,
}

type ChunkRow = { first: number; count: number; entries: string }

/** The chunk that an entry is in. */
export const selectChunkAt = (team: number | SQL, job: number, index: number | SQL): Statement<ChunkRow> =>
  select(
    CHUNK_FIELDS,
    sql`FROM ${chunk} WHERE ${chunk.job} = ${job} AND ${chunk.first} <= ${index} AND ${chunk.team} = ${team}
      ORDER BY ${chunk.first} DESC LIMIT 1`,
  )

/** The statement of no chunk, where one is expected. */
export const selectNoChunk: Statement<ChunkRow> = select(CHUNK_FIELDS, sql`FROM ${chunk} WHERE 0`)

export const insertChunk = (
  team: number,
  job: number,
  row: { first: number; count: number; invalid: number; entries: string },
): Statement => statement(insertInto(chunk, { team, job, ...row }))

export const insertOutcomes = (team: number, job: number, row: OutcomeRow, now: number): Statement =>
  statement(insertInto(jobOutcome, { team, job, ...row, updatedAt: now }))

/** How many entries of a chunk are not invalid from the start, where the chunk begins with this entry. */
export const runnableIn = (job: number, first: number): SQL =>
  sql`(SELECT ${chunk.count} - ${chunk.invalid} FROM ${chunk} WHERE ${chunk.job} = ${job} AND ${chunk.first} = ${first})`

export const endOfChunkAt = (job: number, first: number): SQL =>
  sql`(SELECT ${chunk.first} + ${chunk.count} FROM ${chunk} WHERE ${chunk.job} = ${job} AND ${chunk.first} = ${first})`
