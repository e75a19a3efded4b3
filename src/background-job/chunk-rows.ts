import { type SQL, sql } from 'drizzle-orm'
import { insertInto, type Statement, select, statement } from '../db/statement.ts'
import type { ChunkCounts, OutcomeRow } from './chunk.ts'
import { textLength, wherePointer } from './object/pointer.ts'
import { jobChunk as chunk, jobOutcome } from './table.ts'

const CHUNK_FIELDS = { first: chunk.first, count: chunk.count, entries: chunk.entries }
const OUTCOME_FIELDS = {
  first: jobOutcome.first,
  updatedAt: jobOutcome.updatedAt,
  outcomes: jobOutcome.outcomes,
}

type ChunkRow = { first: number; count: number; entries: string }

/** The chunk that an entry is in. */
export const selectChunkAt = (team: number | SQL, job: number, index: number | SQL): Statement<ChunkRow> =>
  select(
    CHUNK_FIELDS,
    sql`FROM ${chunk} WHERE ${chunk.team} = ${team} AND ${chunk.job} = ${job} AND ${chunk.first} <= ${index}
      ORDER BY ${chunk.first} DESC LIMIT 1`,
  )

/** The statement of no chunk, where one is expected: it is sent with each step, so it names no column. */
export const selectNoChunk = statement<ChunkRow>(sql`SELECT 0 WHERE 0`)

export const insertChunk = (
  team: number,
  job: number,
  { first, count, invalid, entries }: { first: number; count: number; invalid: number; entries: string },
): Statement => statement(insertInto(chunk, { team, job, first, count, invalid, entries }))

export const insertOutcomes = (team: number, job: number, row: OutcomeRow, now: number): Statement =>
  statement(insertInto(jobOutcome, { team, job, ...row, updatedAt: now }))

/** How many entries of a chunk are not invalid from the start, where the chunk begins with this entry. */
export const runnableIn = (team: number, job: number, first: number): SQL =>
  sql`(SELECT ${chunk.count} - ${chunk.invalid} FROM ${chunk} WHERE ${whereChunkOfJob(team, job)} AND ${chunk.first} = ${first})`

export const selectChunkEnd = (team: number, job: number, first: number): SQL =>
  sql`(SELECT ${chunk.first} + ${chunk.count} FROM ${chunk} WHERE ${whereChunkOfJob(team, job)} AND ${chunk.first} = ${first})`

const whereChunkOfJob = (team: number, job: number): SQL => sql`${chunk.team} = ${team} AND ${chunk.job} = ${job}`

const whereOfChunk = sql`${jobOutcome.team} = ${chunk.team} AND ${jobOutcome.job} = ${chunk.job}
  AND ${jobOutcome.first} = ${chunk.first}`

const whereOneOf = (firsts: readonly number[]): SQL =>
  sql`${chunk.first} IN (SELECT value FROM json_each(${JSON.stringify(firsts)}))`

/** Chunks, and the outcomes of their entries. */
export const selectChunks = (team: number, job: number, where: SQL) =>
  [
    select(CHUNK_FIELDS, sql`FROM ${chunk} WHERE ${whereChunkOfJob(team, job)} AND ${where} ORDER BY ${chunk.first}`),
    select(
      OUTCOME_FIELDS,
      sql`FROM ${chunk} CROSS JOIN ${jobOutcome} ON ${whereOfChunk}
        WHERE ${whereChunkOfJob(team, job)} AND ${where}`,
    ),
  ] as const

/** The chunks that begin with these entries, and the outcomes of theirs. */
export const selectChunkRows = (team: number, job: number, firsts: readonly number[]) =>
  selectChunks(team, job, whereOneOf(firsts))

/** A chunk, which has a count, or outcomes of one. */
export interface ChunkText {
  first: number
  count: number | null
  updatedAt: number | null
  text: string
}

/** The same in one statement: an invocation that reads all entries of the largest job has few left. */
export const selectChunkTexts = (team: number, job: number, firsts: readonly number[]): Statement<ChunkText> => {
  const which = sql`${whereChunkOfJob(team, job)} AND ${whereOneOf(firsts)}`
  return statement(
    sql`SELECT ${chunk.first} AS "first", ${chunk.count} AS "count", NULL AS "updatedAt", ${chunk.entries} AS "text"
        FROM ${chunk} WHERE ${which}
      UNION ALL SELECT ${jobOutcome.first}, NULL, ${jobOutcome.updatedAt}, ${jobOutcome.outcomes}
        FROM ${chunk} CROSS JOIN ${jobOutcome} ON ${whereOfChunk} WHERE ${which}`,
  )
}

/** How many bytes the entries of a job take. Of a text its length is read, however long it is. */
export const selectStoredBytes = (team: number, job: number) => {
  const text = chunk.entries.getSQL()
  return select(
    {
      inRows: sql<number>`coalesce(sum(iif(${wherePointer(text)}, 0, octet_length(${text}))), 0)`,
      all: sql<number>`coalesce(sum(${textLength(text)}), 0)`,
      hasObjects: sql<number>`coalesce(max(${wherePointer(text)}), 0)`,
    },
    sql`FROM ${chunk} WHERE ${whereChunkOfJob(team, job)}`,
  )
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
    sql`FROM ${chunk} LEFT JOIN ${jobOutcome} ON ${whereOfChunk}
      WHERE ${whereChunkOfJob(team, job)} GROUP BY ${chunk.first} ORDER BY ${chunk.first}`,
  )
