import { sql } from 'drizzle-orm'
import { guard, isUniqueViolation } from '../../db/guard.ts'
import { retryOnConflict } from '../../db/retry.ts'
import { insertInto, type Statement, statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { AppError } from '../../errors.ts'
import { newId, ridOf } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { utf8Bytes } from '../../utf8.ts'
import { encodeEntry } from '../chunk.ts'
import { insertChunk } from '../chunk-rows.ts'
import { type Entry, failureOf } from '../entry.ts'
import { selectIsInTurn } from '../in-turn.ts'
import { insertJob } from '../job-rows.ts'
import { type JobQueue, queueOfNew } from '../queue.ts'
import type { JobRow } from '../rules.ts'
import type { JobSettings } from '../settings.ts'
import { chunkRemoval } from '../table.ts'
import { refuseBulkWhenNearlyFull } from './nearly-full.ts'

/** Of one entry as it is stored: as much as the body of a single request, and a little for its address. */
const ENTRY_BYTES_MAX = 1_100_000
/** Of the entries of one chunk, unless a single one is larger: a row of D1 has 2,000,000. */
const CHUNK_BYTES_MAX = 1_000_000
/** What goes to the database in one round trip. Nearly every request fits into one. */
const BATCH_BYTES_MAX = 8_000_000
/** An acceptance that has not finished by then never will: the chunks that it has written are removed. */
const ACCEPTANCE_MS_MAX = 15 * 60_000
export const ENTRIES_MAX = 100_000
/** Each chunk is a statement, and D1 runs 1,000 in one invocation. */
const CHUNKS_MAX = 900
const REMOVED_MEANWHILE = 'the chunks were removed meanwhile'

export interface JobDraft {
  type: string
  procedure: string | null
  startAt: number | null
  retryOf: string | null
}

/** A bulk request about one procedure. */
export const bulkDraft = (procedure: string): JobDraft => ({
  type: 'bulk_api_job',
  procedure,
  startAt: null,
  retryOf: null,
})

export interface AcceptedJob {
  job: JobRow
  /** Whether it is run at once; if not, it gets its message when an older job of the team has ended. */
  isInTurn: boolean
}

export interface EntrySource {
  draft: JobDraft
  /** All entries, in order; asked for again if the job must be written again. */
  entries: () => Iterable<Entry> | AsyncIterable<Entry>
  /** What must hold for the entries to have been read rightly. */
  guards: Statement[]
  /** The queue of its own that the kind of an entry has: the first one that there is becomes the job's. */
  queueOf?: (apiType: string) => JobQueue | undefined
}

const isNumberTaken = (error: unknown): boolean =>
  isUniqueViolation(error, 'background_job.no') || isUniqueViolation(error, 'job_chunk.job')

/**
 * Writes the entries in one pass, in batches of bounded size; the job itself comes with the last one. So there is a job
 * only when there are all its entries, and an acceptance that breaks off leaves nothing that anybody can see.
 */
export async function acceptJob(scope: Scope, settings: JobSettings, source: EntrySource): Promise<AcceptedJob> {
  refuseBulkWhenNearlyFull(scope, settings)
  return retryOnConflict(isNumberTaken, () => writeJob(scope, settings, source))
}

async function writeJob(scope: Scope, settings: JobSettings, source: EntrySource): Promise<AcceptedJob> {
  const { draft, entries, guards } = source
  const { team, now } = scope
  const id = newId(now)
  const no = ridOf(id)
  const entriesMax = Math.min(ENTRIES_MAX, CHUNKS_MAX * settings.chunkEntries)
  let [total, invalid, sent] = [0, 0, 0]
  let queue: JobQueue | null = null
  let chunk = newChunk(0)
  let batch: Statement[] = []
  let batchBytes = 0
  const close = () => {
    const { first, texts, bytes } = chunk
    if (texts.length === 0) return
    const row = { first, count: texts.length, invalid: chunk.invalid, entries: `[${texts.join(',')}]` }
    batch.push(insertChunk(team.no, no, row))
    batchBytes += bytes
    chunk = newChunk(total)
  }
  for await (const entry of entries()) {
    if (total === entriesMax) throw tooMany(entriesMax)
    queue ??= source.queueOf?.(entry.apiType) ?? null
    const { text, bytes, isInvalid } = encode(entry)
    if (chunk.texts.length === settings.chunkEntries || chunk.bytes + bytes > CHUNK_BYTES_MAX) close()
    if (batchBytes >= BATCH_BYTES_MAX) {
      const effect = [...(sent++ === 0 ? [markForRemoval(team.no, no, now)] : []), ...batch]
      // Each round trip has a time limit of its own: a large request takes long to be read.
      await write({ db: scope.db.reconnect(), idempotency: null }, { effect, outcome: null })
      batch = []
      batchBytes = 0
    }
    chunk.texts.push(text)
    chunk.bytes += bytes
    chunk.invalid += isInvalid ? 1 : 0
    total++
    invalid += isInvalid ? 1 : 0
  }
  close()
  const job = newJob(scope, settings, draft, { id, no, total, invalid, queue: queueOfNew(queue, total) })
  const kept = sent > 0 ? [keepChunks(no), guard(REMOVED_MEANWHILE, sql`changes() = 1`)] : []
  const [{ rows }] = await write(
    { db: scope.db.reconnect(), idempotency: scope.idempotency },
    {
      guards,
      effect: [
        selectIsInTurn(team.no, job, settings.teamJobs),
        ...batch,
        ...kept,
        statement(insertJob(team.no, job)),
      ] as const,
      outcome: { json: JSON.stringify(job) },
    },
  )
  return { job, isInTurn: rows[0]?.isInTurn === 1 }
}

const tooMany = (entriesMax: number): AppError =>
  new AppError('request_too_large', [{ message: `a job holds at most ${entriesMax} entries`, path: '/body' }])

interface NewChunk {
  first: number
  texts: string[]
  bytes: number
  invalid: number
}

const newChunk = (first: number): NewChunk => ({ first, texts: [], bytes: 0, invalid: 0 })

interface EncodedEntry {
  text: string
  bytes: number
  isInvalid: boolean
}

function encode(entry: Entry): EncodedEntry {
  try {
    const text = encodeEntry(entry)
    const bytes = utf8Bytes(text)
    if (bytes <= ENTRY_BYTES_MAX) return { text, bytes, isInvalid: entry.invalid !== undefined }
    return encodeRefused(entry, `an entry holds at most ${ENTRY_BYTES_MAX} bytes, this one has ${bytes}`)
  } catch (error) {
    // The stack of the runtime ends some thousand levels down.
    if (error instanceof RangeError) return encodeRefused(entry, 'the entry is nested too deeply')
    throw error
  }
}

function encodeRefused({ apiType }: Entry, message: string): EncodedEntry {
  const invalid = failureOf(new AppError('request_too_large', [{ message, path: '/body' }]))
  const text = encodeEntry({ apiType, apiData: {}, invalid })
  return { text, bytes: utf8Bytes(text), isInvalid: true }
}

const markForRemoval = (team: number, job: number, now: number): Statement =>
  statement(insertInto(chunkRemoval, { job, team, due: now + ACCEPTANCE_MS_MAX }))

const keepChunks = (job: number): Statement =>
  statement(sql`DELETE FROM ${chunkRemoval} WHERE ${chunkRemoval.job} = ${job}`)

interface EntryCounts {
  id: string
  no: number
  total: number
  invalid: number
  queue: JobQueue | null
}

/** A job without an entry that can be run has ended as soon as it is there. */
function newJob(
  { now, user }: Scope,
  { resendAfterMs }: JobSettings,
  draft: JobDraft,
  { total, invalid, ...named }: EntryCounts,
): JobRow {
  const startAt = draft.startAt !== null && draft.startAt > now ? draft.startAt : null
  const isDone = invalid === total
  const status = invalid === 0 ? 'SUCCESS' : 'ERROR'
  return {
    ...draft,
    ...named,
    ...{ startAt, total, invalid },
    completionStatus: isDone ? status : startAt === null ? 'IN_PROGRESS' : 'NOT_STARTED',
    cursor: isDone ? total : 0,
    ...NOTHING_RUN,
    createdBy: user.id,
    updatedAt: now,
    startedAt: isDone || startAt === null ? now : 0,
    completedAt: isDone ? now : 0,
    wakeAt: startAt ?? now + resendAfterMs,
  }
}

const NOTHING_RUN = {
  revision: 0,
  deferred: '[]',
  inProgress: 0,
  inProgressTo: 0,
  dispatched: 0,
  success: 0,
  error: 0,
  cancelled: 0,
  giveUpBatchSize: 0,
  pausedBy: null,
  pausedBecause: null,
  pausedAt: null,
  interruptedAt: null,
  archivedAt: null,
}
