import { countUtf8Bytes } from '../../bytes.ts'
import { AppError } from '../../errors.ts'
import type { EntrySource } from '../accept/accept-job.ts'
import { CHUNK_BYTES_MAX, CHUNKS_MAX, getEntriesMax } from '../accept/pack-chunks.ts'
import { encodeEntry } from '../chunk.ts'
import { ENTRY_BYTES_MAX, type Entry } from '../entry.ts'
import type { FollowUpRequest } from '../follow-up/request.ts'
import type { Confirmation, MatchedNames, RequestedNames } from '../kind.ts'
import type { JobSettings } from '../settings.ts'

/** One entry for each match of a query: all of them are the same but for what names the match. Stored until all are found. */
export interface Collection {
  apiType: string
  apiData: Record<string, unknown>
  where: unknown
  /** When it was accepted. */
  moment: number
  /** Absent: it was stored by older code. */
  consent?: Confirmation
}

/** What was not looked at when the job was accepted: matches of a query, or entries of another job. */
export interface PendingCollection {
  collection: Collection | FollowUpRequest
  collectedTo: number
}

/** What is found at once, and written in one transaction. */
const PAGE_ENTRIES_MAX = 2_000
const CHUNKS_PER_PAGE = 5
const PAGE_BYTES_MAX = 2_000_000
/** A match is named by so many bytes. */
const NAME_BYTES = 60

export const toMatchEntry = ({ apiType, apiData }: Collection, name: Record<string, unknown>): Entry => ({
  apiType,
  apiData: { ...apiData, ...name },
})

/** How many entries are found at once. */
export const getStepSize = ({ chunkEntries }: Pick<JobSettings, 'chunkEntries'>): number =>
  Math.min(PAGE_ENTRIES_MAX, CHUNKS_PER_PAGE * chunkEntries)

/** The entries differ by a name, so one of them tells how many fit. */
export function computeSizes({ apiType, apiData }: Collection, settings: JobSettings) {
  const entryBytes = countUtf8Bytes(encodeEntry({ apiType, apiData })) + NAME_BYTES
  return {
    entryBytes,
    pageEntries: Math.max(1, Math.min(getStepSize(settings), Math.floor(PAGE_BYTES_MAX / entryBytes))),
    entriesMax: Math.min(getEntriesMax(settings), Math.floor((CHUNKS_MAX * CHUNK_BYTES_MAX) / entryBytes)),
  }
}

/** What is wrong with every entry is wrong with the request. */
function refuseTooLarge(entryBytes: number): void {
  if (entryBytes <= ENTRY_BYTES_MAX) return
  const message = `an entry holds at most ${ENTRY_BYTES_MAX} bytes, each of these has ${entryBytes}`
  throw new AppError('request_too_large', [{ message, path: '/body' }])
}

/**
 * What one round trip finds of a collection, as the entries that a job is accepted with. Mostly that is all; where it is
 * not, the queue goes on below. So what was created after the acceptance is never looked at, whatever the clocks say.
 */
export async function findFirstPage(
  collection: Collection,
  settings: JobSettings,
  find: (wanted: RequestedNames) => Promise<MatchedNames>,
): Promise<Pick<EntrySource, 'entries' | 'uncollected'>> {
  const { entryBytes, pageEntries } = computeSizes(collection, settings)
  refuseTooLarge(entryBytes)
  const { where, moment } = collection
  const { names, rest } = await find({ where, moment, before: null, limit: pageEntries, mayGoOn: () => false })
  return {
    entries: () => names.map(name => toMatchEntry(collection, name)),
    uncollected: () => (rest === null ? null : { collection, collectedTo: rest }),
  }
}
