import { countUtf8Bytes } from '../../bytes.ts'
import type { Scope } from '../../scope.ts'
import { permitEntry } from '../accept/body.ts'
import { encodeEntry } from '../chunk.ts'
import type { Entry } from '../entry.ts'
import type { PendingErasures } from '../erasure/unerased.ts'
import { type EntryKinds, getKind } from '../kind.ts'
import { listChunks, readInTurn, type StoredEntries } from '../read/stored-entries.ts'
import { type JobState, type ReadChunk, toJobState } from '../read/view.ts'
import type { JobRow, RetrySelection } from '../rules.ts'
import type { EntryStatus } from '../schema.ts'
import { takesToApply } from './applied-entries.ts'
import type { FollowUpRequest } from './request.ts'
import { type RetryTaker, takesToRetry } from './retried-entries.ts'
import { takesToUndo } from './undone-entries.ts'

/** What is made of the entries of a chunk, and how many of which failed status a retry took of them. */
interface ChunkEntries {
  entries: Entry[]
  taken?: RetrySelection['taken']
}

/** How a follow-up makes its entries of those of the other job. */
export interface EntryTaker {
  /** Only chunks with entries of these are read. */
  statuses?: readonly EntryStatus[]
  /** The last chunk comes first. */
  isBackwards?: true
  take: (chunk: ReadChunk, state: JobState, erase: PendingErasures['erase']) => Promise<ChunkEntries>
}

/** The other job, and how entries are made of its own. */
export interface FollowUpSource {
  job: JobRow
  source: StoredEntries
  taker: EntryTaker & Partial<RetryTaker>
  /** Checks the caller's permissions for an entry, and returns it; throws if one is lacking. */
  permit: (entry: Entry) => Entry
}

export function openFollowUp(
  scope: Scope,
  kinds: EntryKinds,
  { job, source, request, before }: { job: JobRow; source: StoredEntries; request: FollowUpRequest; before: number },
): FollowUpSource {
  const may = (permission: FollowUpRequest['lacks'][number]) => !request.lacks.includes(permission)
  return {
    job,
    source,
    taker: newTaker(scope, kinds, job, { request, before }),
    permit: entry => permitEntry(entry, getKind(kinds, entry.apiType)?.permission, may),
  }
}

function newTaker(
  scope: Scope,
  kinds: EntryKinds,
  job: JobRow,
  { request, before }: { request: FollowUpRequest; before: number },
): FollowUpSource['taker'] {
  if (request.does === 'retry') return takesToRetry(scope, kinds, job, request, before)
  return request.does === 'apply' ? takesToApply : takesToUndo(kinds, job)
}

/** What is read for one step, and written in one transaction; a chunk is always taken whole. */
const CHUNKS_PER_STEP = 5
const STEP_BYTES_MAX = 1_000_000
/** Where few entries of many chunks are taken, a step reads on for so long. */
const STEP_MS = 2_000

interface FollowUpPage extends Required<ChunkEntries> {
  /** Where in the other job the next step goes on; null: this was the last one. */
  rest: number | null
}

/** The entries of a bounded step: some, unless there are none or they are too far away. */
export async function takeEntriesOfStep(
  opened: FollowUpSource,
  erase: PendingErasures['erase'],
  from: number | null,
  { entriesMax, mayGoOn }: { entriesMax: number; mayGoOn: () => boolean },
): Promise<FollowUpPage> {
  const startedAt = Date.now()
  const step: FollowUpPage = { entries: [], taken: {}, rest: from }
  let bytes = 0
  do {
    for await (const { entries, taken, rest } of takeEntriesByChunk(opened, erase, step.rest, CHUNKS_PER_STEP)) {
      for (const entry of entries) {
        step.entries.push(entry)
        bytes += countUtf8Bytes(encodeEntry(entry))
      }
      addTaken(step.taken, taken)
      step.rest = rest
      if (bytes >= STEP_BYTES_MAX || step.entries.length >= entriesMax) return step
    }
  } while (step.rest !== null && mayGoOn() && Date.now() - startedAt < STEP_MS)
  return step
}

/** The entries made of each of the next chunks; nothing is yielded where there are no chunks left. */
export async function* takeEntriesByChunk(
  { job, source, taker, permit }: FollowUpSource,
  erase: PendingErasures['erase'],
  from: number | null,
  chunksMax = Number.POSITIVE_INFINITY,
): AsyncGenerator<FollowUpPage> {
  const state = toJobState(job)
  const listed = await listChunks(source, state, { statuses: taker.statuses })
  const ordered = taker.isBackwards ? listed.reverse() : listed
  const left = from === null ? ordered : ordered.filter(first => (taker.isBackwards ? first < from : first >= from))
  let nth = 0
  for await (const chunk of readInTurn(source, left.slice(0, chunksMax))) {
    const { entries, taken = {} } = await taker.take(chunk, state, erase)
    nth += 1
    const following = left[nth] ?? null
    yield {
      entries: entries.map(permit),
      taken,
      rest: following === null || !taker.isBackwards ? following : chunk.first,
    }
  }
  if (left.length === 0) yield { entries: [], taken: {}, rest: null }
}

export function addTaken(sum: RetrySelection['taken'], more: RetrySelection['taken']): void {
  for (const [status, count] of Object.entries(more) as [keyof typeof more, number][])
    sum[status] = (sum[status] ?? 0) + count
}
