import { countFitting, countUtf8Bytes } from '../../bytes.ts'
import { notFound } from '../../errors.ts'
import { RESPONSE_BYTES_MAX } from '../../http/response/page-bytes.ts'
import { toRowNo, UUID } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { type ChunkCounts, getChunkEnd } from '../chunk.ts'
import { selectChunkCounts, selectChunks } from '../chunk-rows.ts'
import { FAILED_STATUSES, nameGroup } from '../failure-rules.ts'
import { selectJob } from '../job-rows.ts'
import { createTextReader } from '../object/read-texts.ts'
import { countEntries, type JobRow } from '../rules.ts'
import type { EntriesQuery, EntryStatus } from '../schema.ts'
import { countMatches, readChunks, readRowTexts, whereFirstBetween } from './chunks.ts'
import {
  type EntryFilter,
  type EntryReader,
  listChunks,
  readInTurn,
  type StoredEntries,
  storedEntries,
} from './stored-entries.ts'
import { type EntryView, getFailure, getStatus, type JobState, type ReadChunk, toJobState, viewEntry } from './view.ts'

interface EntriesPage {
  entries: EntryView[]
  total: number
  next: string | null
}

interface EntriesResult {
  shown: EntryPage
  total: number
}

/** A page of a job's entries, in the order of the request: as many as are wanted and have room. */
export async function readEntriesPage(
  scope: Scope,
  archive: EntryReader['archive'],
  id: string,
  query: EntriesQuery,
): Promise<EntriesPage> {
  const { completionStatus, skip, limit } = query
  const { shown, total } =
    completionStatus === undefined
      ? await readPageOfAll(scope, archive, id, query)
      : await readPageOfStatus(scope, archive, id, { ...query, completionStatus })
  const { entries } = shown
  // Where entries change meanwhile a page may lack some; the next one begins behind those that were counted.
  const end = skip + (shown.isCut ? entries.length : limit)
  return { entries, total, next: end < total ? nextPath(id.toLowerCase(), query, end) : null }
}

function nextPath(id: string, { completionStatus, limit }: EntriesQuery, skip: number): string {
  const params = new URLSearchParams({ skip: String(skip), limit: String(limit) })
  if (completionStatus !== undefined) params.set('completionStatus', completionStatus)
  return `/v1/ext/background-job/${id}/entries?${params}`
}

/** The entries of a page, which are added until it has no room for another one, by number or by bytes. */
interface EntryPage {
  entries: EntryView[]
  bytes: number
  /** Whether its bytes have ended it. */
  isCut: boolean
}

const newPage = (): EntryPage => ({ entries: [], bytes: 0, isCut: false })

const isFull = ({ entries, isCut }: EntryPage, limit: number): boolean => isCut || entries.length >= limit

function addEntry(page: EntryPage, entry: EntryView): void {
  const bytes = countUtf8Bytes(JSON.stringify(entry))
  if (countFitting([bytes], RESPONSE_BYTES_MAX, page.bytes) === 0) page.isCut = true
  else page.entries.push(entry)
  page.bytes += bytes
}

const toJobNo = (id: string): number => (UUID.test(id) ? toRowNo(id) : 0)

function requireJobState(job: JobRow | undefined, id: string): JobState {
  if (job?.id !== id.toLowerCase()) throw notFound(`background job ${id}`)
  return toJobState(job)
}

const openEntries = ({ db, team }: Scope, archive: EntryReader['archive'], job: JobRow): StoredEntries =>
  storedEntries({ team, archive, connection: () => db }, job)

async function readPageOfAll(
  scope: Scope,
  archive: EntryReader['archive'],
  id: string,
  { skip, limit }: EntriesQuery,
): Promise<EntriesResult> {
  const { db, team } = scope
  const no = toJobNo(id)
  const [[job], rows, outcomes] = await db.read(
    selectJob(team.no, no),
    ...selectChunks(team.no, no, whereFirstBetween(team.no, no, skip, skip + limit)),
  )
  const state = requireJobState(job, id)
  const { total, archivedAt } = state.job
  const to = Math.min(skip + limit, total)
  const shown = newPage()
  let at = skip
  const addFrom = (chunk: ReadChunk): void => {
    for (const index of listIndexes(chunk))
      if (at <= index && index < to && !isFull(shown, limit)) addEntry(shown, viewEntry(team, state, chunk, index))
    at = Math.max(at, getChunkEnd(chunk))
  }
  if (archivedAt === null) {
    const read = await readRowTexts(createTextReader(archive, team, state.job), rows, outcomes)
    for (const chunk of readChunks(read.chunks, read.outcomes)) addFrom(chunk)
  }
  if (at < to && !isFull(shown, limit))
    for await (const chunk of chunksBetween(openEntries(scope, archive, state.job), at, to)) {
      addFrom(chunk)
      if (isFull(shown, limit)) break
    }
  return { shown, total }
}

async function* chunksBetween(source: StoredEntries, from: number, to: number): AsyncGenerator<ReadChunk> {
  const counts = await source.counts()
  yield* readInTurn(
    source,
    counts.filter(each => each.first < to && getChunkEnd(each) > from).map(({ first }) => first),
  )
}

export const listIndexes = (chunk: ReadChunk): number[] =>
  Array.from({ length: getChunkEnd(chunk) - chunk.first }, (_, offset) => chunk.first + offset)

type StatusQuery = EntriesQuery & { completionStatus: EntryStatus }

/** The counts of the chunks show which of them the page is in; only those are read. */
async function readPageOfStatus(
  scope: Scope,
  archive: EntryReader['archive'],
  id: string,
  { completionStatus: status, skip, limit }: StatusQuery,
): Promise<EntriesResult> {
  const { db, team } = scope
  const no = toJobNo(id)
  const [[job], rows] = await db.read(selectJob(team.no, no), selectChunkCounts(team.no, no))
  const state = requireJobState(job, id)
  const source = openEntries(scope, archive, state.job)
  const counts = state.job.archivedAt === null ? rows : await source.counts()
  const { firsts, before } = readPageChunks(state, counts, { status, skip, limit })
  const shown = newPage()
  let passed = before
  for await (const chunk of readInTurn(source, firsts)) {
    for (const index of indexesWith(state, chunk, { statuses: [status] }))
      if (passed < skip) passed += 1
      else if (!isFull(shown, limit)) addEntry(shown, viewEntry(team, state, chunk, index))
    if (isFull(shown, limit)) break
  }
  return { shown, total: countEntries(state.job)[status] }
}

/** The chunks that hold entries of the page, and how many entries with the status come before them. */
function readPageChunks(
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

/** The chunks of a job that may have such entries. */
export async function* chunksWith(
  source: StoredEntries,
  state: JobState,
  { statuses, group, from }: EntryFilter,
): AsyncGenerator<ReadChunk> {
  const failed = group === undefined ? undefined : FAILED_STATUSES
  yield* readInTurn(source, await listChunks(source, state, { statuses: statuses ?? failed, from }))
}

/** Which entries of a chunk these are. */
export const indexesWith = (state: JobState, chunk: ReadChunk, { statuses, group, from = 0 }: EntryFilter): number[] =>
  listIndexes(chunk).filter(
    index =>
      index >= from &&
      (statuses === undefined || statuses.includes(getStatus(state, chunk, index))) &&
      (group === undefined || isInGroup(chunk, index, group)),
  )

function isInGroup(chunk: ReadChunk, index: number, group: string): boolean {
  const failed = getFailure(chunk, index)
  return failed !== undefined && nameGroup(failed.result) === group
}
