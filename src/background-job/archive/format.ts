import type { ChunkCounts } from '../chunk.ts'

/** The key of the object that holds the entries of a job; `archiveKeySql` in statements.ts says the same in SQL. */
export const archiveKey = (team: { id: string }, job: { id: string }): string => `jobs/${team.id}/${job.id}.ndjson`

/** Rows of a chunk and of its outcomes, as the database has them. */
interface ChunkRows {
  chunk: { first: number; count: number; entries: string }
  outcomes: readonly { updatedAt: number; outcomes: string }[]
}

/** A line of the object: one for each chunk, and at its end the index. What the rows hold is JSON already. */
export function encodeLine({ chunk: { first, count, entries }, outcomes }: ChunkRows): string {
  const ended = outcomes.map(each => `{"updatedAt":${each.updatedAt},"outcomes":${each.outcomes}}`)
  return `{"first":${first},"count":${count},"entries":${entries},"outcomes":[${ended.join(',')}]}\n`
}

export interface DecodedLine {
  first: number
  count: number
  entries: unknown[]
  outcomes: { updatedAt: number; outcomes: unknown[] }[]
}

export const decodeLine = (line: string): DecodedLine => JSON.parse(line) as DecodedLine

/** What the index tells of a line: how its entries ended, and how many bytes it has. */
export interface IndexedLine extends ChunkCounts {
  bytes: number
}

export const encodeIndex = (job: { id: string }, lines: readonly IndexedLine[]): string => {
  const chunks = lines.map(each => [each.first, each.count, each.invalid, each.success, each.error, each.bytes])
  return `${JSON.stringify({ job: job.id, chunks })}\n`
}

type StoredLine = [first: number, count: number, invalid: number, success: number, error: number, bytes: number]

/** Decodes the last bytes of an object; undefined where they do not end in the index of this job. */
export function decodeIndex(job: { id: string }, tail: string): IndexedLine[] | undefined {
  const line = tail.slice(tail.lastIndexOf('\n', tail.length - 2) + 1)
  if (!line.startsWith(`{"job":"${job.id}"`) || !line.endsWith('\n')) return undefined
  const { chunks } = JSON.parse(line) as { chunks: StoredLine[] }
  return chunks.map(([first, count, invalid, success, error, bytes]) => ({
    first,
    count,
    invalid,
    success,
    error,
    bytes,
  }))
}
