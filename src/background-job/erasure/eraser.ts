import { toPersonFinder } from '../../customer-record/person-rules.ts'
import type { Db } from '../../db/client.ts'
import { type Chunk, decodeChunk, parseStoredEntries } from '../chunk.ts'
import type { Entry } from '../entry.ts'
import { type EntryKinds, getKind } from '../kind.ts'
import type { ReadTexts } from '../object/read-texts.ts'
import { findErasedProcesses } from './erased-processes.ts'
import {
  type ErasedValues,
  getProcessNames,
  listResults,
  type StoredEntries,
  type StoredEntry,
  takeFromEntries,
} from './rules.ts'

/** An erasure of a customer, or a purge of a process. */
export interface ErasedPerson {
  /** By what entries and results name the person: a JSON list. */
  names: string
  /** The row number of the record, where a customer is erased everywhere. */
  erasure: number | null
}

/** The job that entries are of. */
type JobOfEntries = { procedure: string | null }

/** Takes from the entries of some chunks, and from their outcomes, what they have of some people. Null where a chunk has nothing. */
export type EntryEraser = (
  db: Db,
  job: JobOfEntries,
  chunks: readonly StoredEntries[],
) => Promise<(StoredEntries | null)[]>

export function newEntryEraser(kinds: EntryKinds, team: number, people: readonly ErasedPerson[]): EntryEraser {
  const isNamed = toPersonFinder(people.flatMap(({ names }) => JSON.parse(names) as string[]))
  const erasures = people.flatMap(({ erasure }) => erasure ?? [])
  const findKind = (apiType: string) => getKind(kinds, apiType)
  return async (db, job, chunks) => {
    const read = chunks.map(chunk => {
      const results = listResults(chunk)
      return chunk.entries.map((entry, offset) => ({ entry, result: results.get(offset) }))
    })
    const isOfPerson = read.map(entries => entries.map(({ entry, result }) => isNamed([entry, result])))
    const named = read.map(entries =>
      entries.map(({ entry, result }) => ({
        ...getProcessNames(entry, result, findKind(entry[0])),
        procedure: getProcedureId(job, entry),
      })),
    )
    const findPersonal = erasures.length > 0 && (await findErasedProcesses(db, { team, erasures }, named.flat()))
    return chunks.map((chunk, nth) => {
      const take = (offset: number): ErasedValues | undefined => {
        if (isOfPerson[nth]?.[offset]) return 'all'
        const entry = named[nth]?.[offset]
        return entry && findPersonal ? findPersonal(entry) : undefined
      }
      return takeFromEntries(chunk, take, findKind)
    })
  }
}

const getProcedureId = ({ procedure }: JobOfEntries, [, { procedureId }]: StoredEntry): string | undefined =>
  procedure ?? (typeof procedureId === 'string' ? procedureId : undefined)

/** Erases in entries that have yet to be run. */
export async function eraseFromEntries(
  erase: EntryEraser,
  db: Db,
  job: JobOfEntries,
  entries: Entry[],
): Promise<Entry[]> {
  const stored = entries.map(
    ({ apiType, apiData, invalid }): StoredEntry =>
      invalid === undefined ? [apiType, apiData] : [apiType, apiData, invalid],
  )
  const [erased] = await erase(db, job, [{ entries: stored, outcomes: [] }])
  return erased ? parseStoredEntries(erased.entries) : entries
}

export type ReadChunkRow = (db: Db, row: Parameters<typeof decodeChunk>[0]) => Promise<Chunk>

/** Reads chunks of a job without what is to be erased of them. */
export function newChunkReader(
  kinds: EntryKinds,
  { team, job, people }: { team: number; job: JobOfEntries; people: readonly ErasedPerson[] },
  readTexts: ReadTexts,
): ReadChunkRow {
  const read = async (row: Parameters<ReadChunkRow>[1]): Promise<Chunk> => {
    const [entries = row.entries] = await readTexts([row.entries])
    return decodeChunk({ ...row, entries })
  }
  if (people.length === 0) return (_, row) => read(row)
  const erase = newEntryEraser(kinds, team, people)
  return async (db, row) => {
    const chunk = await read(row)
    return { ...chunk, entries: await eraseFromEntries(erase, db, job, chunk.entries) }
  }
}
