import type { Db } from '../../db/client.ts'
import { type TextStatement, textStatement } from '../../db/text-statement.ts'
import { notFound } from '../../errors.ts'
import { ridOf, UUID } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { CHUNK_COLUMNS, type Chunk, type ChunkHead, HEAD_COLUMNS, outcomeAt, readChunk } from '../chunk.ts'
import type { Entry } from '../entry.ts'
import { selectJob } from '../job-rows.ts'
import { countsOf, type JobRow } from '../rules.ts'
import type { EntriesQuery, EntryStatus } from '../schema.ts'
import { CHUNK_ENTRIES_MAX } from '../settings.ts'
import { type EntryView, inProgressIn, statusAt, viewEntry } from './view.ts'

/** A page rarely needs more chunks than this at once; they are of bounded size, so what is in memory is, too. */
const CHUNKS_AT_ONCE = 16

export interface EntriesPage {
  entries: EntryView[]
  total: number
  next: string | null
}

/** A page of a job's entries, in the order of the request. */
export async function pageOfEntries(scope: Scope, id: string, query: EntriesQuery): Promise<EntriesPage> {
  const { completionStatus: status, skip, limit } = query
  const no = UUID.test(id) ? ridOf(id) : 0
  const [jobs, found] = await scope.db.batch([
    selectJob(scope.team.no, no),
    status === undefined ? chunksBetween(scope, no, skip, skip + limit) : headsOf(scope, no),
  ])
  const job = jobs?.rows[0] as unknown as JobRow | undefined
  if (job?.id !== id.toLowerCase()) throw notFound(`background job ${id}`)
  const rows = found?.rows ?? []
  const total = status === undefined ? job.total : countsOf(job)[status]
  const entries =
    status === undefined
      ? rows
          .map(readChunk)
          .flatMap(chunk => offsetsBetween(chunk, skip, skip + limit).map(at => viewEntry(scope.team, job, chunk, at)))
      : await matching(scope, job, rows as unknown as ChunkHead[], { ...query, completionStatus: status })
  return { entries, total, next: skip + limit < total ? nextPath(job.id, query) : null }
}

function nextPath(id: string, { completionStatus, skip, limit }: EntriesQuery): string {
  const params = new URLSearchParams({ skip: String(skip + limit), limit: String(limit) })
  if (completionStatus !== undefined) params.set('completionStatus', completionStatus)
  return `/v1/ext/background-job/${id}/entries?${params}`
}

const OF_TEAM = 'EXISTS (SELECT 1 FROM background_job WHERE no = ?1 AND +team = ?2)'

const chunksBetween = (scope: Scope, no: number, from: number, to: number): TextStatement =>
  textStatement(
    `SELECT ${CHUNK_COLUMNS} FROM job_chunk c WHERE c.job = ?1 AND c.first > ?3 AND c.first < ?4
      AND c.first + c.count > ?5 AND ${OF_TEAM} ORDER BY c.first`,
    no,
    scope.team.no,
    from - CHUNK_ENTRIES_MAX,
    to,
    from,
  )

const headsOf = (scope: Scope, no: number): TextStatement =>
  textStatement(
    `SELECT ${HEAD_COLUMNS} FROM job_chunk c WHERE c.job = ?1 AND ${OF_TEAM} ORDER BY c.first`,
    no,
    scope.team.no,
  )

const offsetsBetween = ({ first, count }: ChunkHead, from: number, to: number): number[] =>
  Array.from({ length: count }, (_, offset) => offset).filter(offset => first + offset >= from && first + offset < to)

/** How many entries of a chunk have a status: told by its counts. */
function matchesIn(job: JobRow, head: ChunkHead, status: EntryStatus): number {
  const pending = head.count - head.invalid - head.success - head.error
  switch (status) {
    case 'INVALID':
      return head.invalid
    case 'SUCCESS':
      return head.success
    case 'ERROR':
      return head.error
    case 'CANCELLED':
      return job.completionStatus === 'CANCELLED' ? pending - inProgressIn(job, head) : 0
    case 'IN_PROGRESS':
      return inProgressIn(job, head)
    case 'NOT_STARTED':
      return job.completionStatus === 'CANCELLED' ? 0 : pending - inProgressIn(job, head)
  }
}

/** The counts of the chunks tell which of them the page is in; only those are read. */
async function matching(
  scope: Scope,
  job: JobRow,
  heads: ChunkHead[],
  { completionStatus: status, skip, limit }: EntriesQuery & { completionStatus: EntryStatus },
): Promise<EntryView[]> {
  let before = 0
  let skipped = 0
  const wanted: number[] = []
  for (const head of heads) {
    const count = matchesIn(job, head, status)
    if (before + count <= skip) skipped = before + count
    else if (before < skip + limit && count > 0) wanted.push(head.first)
    before += count
  }
  const entries: EntryView[] = []
  for (let at = 0; at < wanted.length; at += CHUNKS_AT_ONCE) {
    const [found] = await scope.db.batch([
      textStatement(
        `SELECT ${CHUNK_COLUMNS} FROM job_chunk c
          WHERE c.job = ?1 AND c.first IN (SELECT value FROM json_each(?3)) AND ${OF_TEAM} ORDER BY c.first`,
        job.no,
        scope.team.no,
        JSON.stringify(wanted.slice(at, at + CHUNKS_AT_ONCE)),
      ),
    ])
    for (const chunk of (found?.rows ?? []).map(readChunk))
      for (const offset of offsetsOf(job, chunk, status)) entries.push(viewEntry(scope.team, job, chunk, offset))
  }
  return entries.slice(skip - skipped, skip - skipped + limit)
}

export const offsetsOf = (job: JobRow, chunk: Chunk, status?: EntryStatus): number[] =>
  chunk.entries.flatMap((_, offset) =>
    status === undefined || statusAt(job, chunk.first + offset, outcomeAt(chunk, offset)) === status ? [offset] : [],
  )

const HAS: Record<EntryStatus, string> = {
  INVALID: 'c.invalid > 0',
  SUCCESS: 'c.success > 0',
  ERROR: 'c.error > 0',
  CANCELLED: 'c.count > c.invalid + c.success + c.error',
  IN_PROGRESS: 'c.count > c.invalid + c.success + c.error',
  NOT_STARTED: 'c.count > c.invalid + c.success + c.error',
}

/** A job's chunks one after the other, those that have entries of a status: never more than one of them in memory. */
export async function* chunksOf(
  connection: () => Db,
  { team }: Pick<Scope, 'team'>,
  job: JobRow,
  status?: EntryStatus,
): AsyncGenerator<Chunk> {
  let after = -1
  for (;;) {
    const [found] = await connection().batch([
      textStatement(
        `SELECT ${CHUNK_COLUMNS} FROM job_chunk c WHERE c.job = ?1 AND c.first > ?3 AND ${OF_TEAM}
          ${status === undefined ? '' : `AND ${HAS[status]}`} ORDER BY c.first LIMIT 1`,
        job.no,
        team.no,
        after,
      ),
    ])
    const row = found?.rows[0]
    if (row === undefined) return
    const chunk = readChunk(row)
    yield chunk
    after = chunk.first
  }
}

export async function* entriesOfStatus(
  scope: Scope,
  job: JobRow,
  status: EntryStatus,
): AsyncGenerator<Entry & { index: number }> {
  for await (const chunk of chunksOf(() => scope.db, scope, job, status))
    for (const offset of offsetsOf(job, chunk, status))
      yield { ...(chunk.entries[offset] as Entry), index: chunk.first + offset }
}
