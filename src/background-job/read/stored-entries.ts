import type { Db } from '../../db/client.ts'
import type { Team } from '../../scope.ts'
import { type Archive, openArchive } from '../archive/object.ts'
import { type ChunkCounts, countedEntries, getChunkEnd } from '../chunk.ts'
import { selectChunkCounts, selectChunkTexts } from '../chunk-rows.ts'
import { createTextReader } from '../object/read-texts.ts'
import type { EntryStatus } from '../schema.ts'
import { countMatches, readChunks, readLine, readRowTexts } from './chunks.ts'
import type { JobState, ReadChunk } from './view.ts'

/** What the entries of a job are read with. */
export interface EntryReader {
  team: Team
  /** Each call gives a connection with a time limit of its own. */
  connection: () => Db
  archive: Pick<R2Bucket, 'get'>
}

/** Where entries are read: the rows of a job, with the objects that they point to, or its archive. All give the same. */
export interface StoredEntries {
  counts: () => Promise<readonly ChunkCounts[]>
  /** The chunks that begin with these entries, in their order, and how long they are as JSON. */
  read: (firsts: readonly number[]) => Promise<{ chunks: ReadChunk[]; length: number }>
}

/** The job may be archived while it is read: where rows are missing, its object has them. */
export function storedEntries(
  { team, connection, archive }: EntryReader,
  job: Pick<JobState['job'], 'no' | 'id' | 'total' | 'archivedAt'>,
): StoredEntries {
  const readTexts = createTextReader(archive, team, job)
  let opened: Promise<Archive> | undefined
  const archived = (): Promise<Archive> => (opened ??= openArchive(archive, team, job))
  return {
    async counts() {
      if (job.archivedAt === null) {
        const [counts] = await connection().read(selectChunkCounts(team.no, job.no))
        if (countedEntries(counts) === job.total) return counts
      }
      return (await archived()).lines
    },
    async read(firsts) {
      if (job.archivedAt === null && !opened) {
        const [rows] = await connection().read(selectChunkTexts(team.no, job.no, firsts))
        const stored = rows.flatMap(({ first, count, text }) =>
          count === null ? [] : [{ first, count, entries: text }],
        )
        const ended = rows.flatMap(({ first, count, text, updatedAt }) =>
          count === null ? [{ first, updatedAt: updatedAt ?? 0, outcomes: text }] : [],
        )
        const { chunks, outcomes, length } = await readRowTexts(readTexts, stored, ended)
        if (chunks.length === firsts.length) return { chunks: readChunks(chunks, outcomes), length }
      }
      const { lines, read } = await archived()
      const wanted = new Set(firsts)
      const length = lines.reduce((sum, { first, bytes }) => sum + (wanted.has(first) ? bytes : 0), 0)
      return { chunks: (await read(firsts)).map(readLine), length }
    },
  }
}

/** Which entries of a job are meant: those with one of some statuses, those of a group of failures, those from one on, or all. */
export interface EntryFilter {
  statuses?: readonly EntryStatus[] | undefined
  group?: string | undefined
  from?: number | undefined
}

/** The first entries of a job's chunks, in their order: of those that may have entries like these. */
export async function listChunks(
  source: StoredEntries,
  state: JobState,
  { statuses, from = 0 }: Pick<EntryFilter, 'statuses' | 'from'> = {},
): Promise<number[]> {
  const counts = await source.counts()
  const matches = statuses?.map(status => countMatches(state, counts, status))
  const isWanted = (nth: number) => matches === undefined || matches.some(each => (each[nth] ?? 0) > 0)
  const wanted = counts.filter((each, nth) => getChunkEnd(each) > from && isWanted(nth))
  return wanted.map(({ first }) => first)
}

/** Reads chunks in the order in which they are given. */
export const readInTurn = (source: StoredEntries, firsts: readonly number[]): AsyncGenerator<ReadChunk> =>
  readInParts(firsts, async some => {
    const { chunks, length } = await source.read(some)
    return { items: chunks.sort((one, other) => some.indexOf(one.first) - some.indexOf(other.first)), length }
  })

/**
 * The length of the JSON that one read may hold in memory; a longer chunk is read alone. Two of the largest chunks fit, with
 * the outcomes of entries that succeeded: so a job of a gigabyte takes six hundred reads, and an invocation has a thousand.
 */
const READ_LENGTH_MAX = 2_500_000
const CHUNKS_PER_READ_MAX = 16

/**
 * Reads chunks part by part: as many at once as are likely to stay within `READ_LENGTH_MAX`, by the length of those before.
 * All that goes through the entries of a job reads them so, whatever it makes of them.
 */
export async function* readInParts<Chunk, Item>(
  chunks: readonly Chunk[],
  read: (part: readonly Chunk[]) => Promise<{ items: readonly Item[]; length: number }>,
): AsyncGenerator<Item> {
  let perRead = 1
  for (let start = 0; start < chunks.length; ) {
    const part = chunks.slice(start, start + perRead)
    const { items, length } = await read(part)
    yield* items
    start += part.length
    const fitting = Math.floor((READ_LENGTH_MAX * part.length) / Math.max(1, length))
    perRead = Math.max(1, Math.min(CHUNKS_PER_READ_MAX, fitting))
  }
}
