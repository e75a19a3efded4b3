import { notFound } from '../../errors.ts'
import { ridOf, UUID } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { type ChunkCounts, endOfChunk } from '../chunk.ts'
import { selectChunkCounts, selectChunks } from '../chunk-rows.ts'
import type { Entry } from '../entry.ts'
import { selectJob } from '../job-rows.ts'
import { countsOf, type JobRow } from '../rules.ts'
import type { EntriesQuery, EntryStatus } from '../schema.ts'
import { countMatches, isBetween, readChunks } from './chunks.ts'
import { chunksOf, type EntryReader, type StoredEntries, storedEntries } from './stored-entries.ts'
import { type EntryView, type JobState, jobStateOf, type ReadChunk, statusAt, viewEntry } from './view.ts'

/** A page rarely needs more chunks than this at once; they are of bounded size, so what is in memory is, too. */
const CHUNKS_AT_ONCE = 16

export interface EntriesPage {
  entries: EntryView[]
  total: number
  next: string | null
}

/** A page of a job's entries, in the order of the request. */
export async function pageOfEntries(
  scope: Scope,
  archive: EntryReader['archive'],
  id: string,
  query: EntriesQuery,
): Promise<EntriesPage> {
  const { completionStatus, skip, limit } = query
  const page =
    completionStatus === undefined
      ? await pageOfAll(scope, archive, id, query)
      : await pageOfStatus(scope, archive, id, { ...query, completionStatus })
  return { ...page, next: skip + limit < page.total ? nextPath(id.toLowerCase(), query) : null }
}

function nextPath(id: string, { completionStatus, skip, limit }: EntriesQuery): string {
  const params = new URLSearchParams({ skip: String(skip + limit), limit: String(limit) })
  if (completionStatus !== undefined) params.set('completionStatus', completionStatus)
  return `/v1/ext/background-job/${id}/entries?${params}`
}

const numberOf = (id: string): number => (UUID.test(id) ? ridOf(id) : 0)

function stateOf(job: JobRow | undefined, id: string): JobState {
  if (job?.id !== id.toLowerCase()) throw notFound(`background job ${id}`)
  return jobStateOf(job)
}

const sourceOf = ({ db, team }: Scope, archive: EntryReader['archive'], job: JobRow): StoredEntries =>
  storedEntries({ team, archive, connection: () => db }, job)

async function pageOfAll(scope: Scope, archive: EntryReader['archive'], id: string, { skip, limit }: EntriesQuery) {
  const { db, team } = scope
  const no = numberOf(id)
  const [[job], chunks, outcomes] = await db.read(
    selectJob(team.no, no),
    ...selectChunks(team.no, no, isBetween(skip, skip + limit)),
  )
  const state = stateOf(job, id)
  const isArchived = state.job.archivedAt !== null
  const found = isArchived
    ? await chunksBetween(sourceOf(scope, archive, state.job), skip, skip + limit)
    : readChunks(chunks, outcomes)
  const entries = found.flatMap(chunk =>
    indexesOf(chunk)
      .filter(index => skip <= index && index < skip + limit)
      .map(index => viewEntry(team, state, chunk, index)),
  )
  return { entries, total: state.job.total }
}

async function chunksBetween(source: StoredEntries, from: number, to: number): Promise<ReadChunk[]> {
  const counts = await source.counts()
  const firsts = counts.filter(each => each.first < to && endOfChunk(each) > from).map(({ first }) => first)
  return (await source.read(firsts)).chunks
}

const indexesOf = (chunk: ReadChunk): number[] =>
  Array.from({ length: endOfChunk(chunk) - chunk.first }, (_, offset) => chunk.first + offset)

type StatusQuery = EntriesQuery & { completionStatus: EntryStatus }

/** The counts of the chunks show which of them the page is in; only those are read. */
async function pageOfStatus(
  scope: Scope,
  archive: EntryReader['archive'],
  id: string,
  { completionStatus: status, skip, limit }: StatusQuery,
) {
  const { db, team } = scope
  const no = numberOf(id)
  const [[job], rows] = await db.read(selectJob(team.no, no), selectChunkCounts(team.no, no))
  const state = stateOf(job, id)
  const source = sourceOf(scope, archive, state.job)
  const counts = state.job.archivedAt === null ? rows : await source.counts()
  const { firsts, before } = chunksOfPage(state, counts, { status, skip, limit })
  const entries: EntryView[] = []
  for (let at = 0; at < firsts.length; at += CHUNKS_AT_ONCE) {
    const { chunks } = await source.read(firsts.slice(at, at + CHUNKS_AT_ONCE))
    for (const chunk of chunks)
      for (const index of indexesOfStatus(state, chunk, status)) entries.push(viewEntry(team, state, chunk, index))
  }
  return { entries: entries.slice(skip - before, skip - before + limit), total: countsOf(state.job)[status] }
}

/** The chunks that hold entries of the page, and how many entries with the status come before them. */
function chunksOfPage(
  state: JobState,
  counts: readonly ChunkCounts[],
  { status, skip, limit }: { status: EntryStatus; skip: number; limit: number },
): { firsts: number[]; before: number } {
  let seen = 0
  let before = 0
  const firsts: number[] = []
  const matches = countMatches(state, counts, status)
  for (const [nth, each] of counts.entries()) {
    const count = matches[nth] ?? 0
    if (seen + count <= skip) before = seen + count
    else if (seen < skip + limit && count > 0) firsts.push(each.first)
    seen += count
  }
  return { firsts, before }
}

/** The entries of a chunk, or those with a status. */
export const indexesOfStatus = (state: JobState, chunk: ReadChunk, status?: EntryStatus): number[] =>
  indexesOf(chunk).filter(index => status === undefined || statusAt(state, chunk, index) === status)

export async function* entriesOfStatus(
  { db, team }: Scope,
  archive: EntryReader['archive'],
  job: JobRow,
  status: EntryStatus,
): AsyncGenerator<Entry & { index: number }> {
  const state = jobStateOf(job)
  const source = storedEntries({ team, archive, connection: () => db.reconnect() }, job)
  for await (const chunk of chunksOf(source, state, status))
    for (const index of indexesOfStatus(state, chunk, status)) {
      const entry = chunk.entries[index - chunk.first]
      if (entry) yield { ...entry, index }
    }
}
