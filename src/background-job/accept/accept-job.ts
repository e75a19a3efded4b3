import { isUniqueViolation } from '../../db/guard.ts'
import { type TextStatement, textGuard, textStatement } from '../../db/text-statement.ts'
import { AppError } from '../../errors.ts'
import type { Receipt } from '../../http/idempotency/record.ts'
import { newId, ridOf } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { storedEntry } from '../chunk.ts'
import { type Entry, failureOf } from '../entry.ts'
import { insertJob } from '../job-rows.ts'
import type { JobRow } from '../rules.ts'
import type { JobSettings } from '../settings.ts'

/** Of one entry as it is stored: as much as the body of a single request, and a little for its address. */
const ENTRY_BYTES_MAX = 1_100_000
/** Of the entries of one chunk: a row has 2 MB, and the outcomes come on top. */
const CHUNK_BYTES_MAX = 1_000_000
/** What goes to the database in one round trip. Nearly every request fits into one. */
const BATCH_BYTES_MAX = 8_000_000
/** If an acceptance has not come to its end by then, it never will, and what it has written is removed. */
const ACCEPTANCE_MS_MAX = 15 * 60_000
export const ENTRIES_MAX = 100_000
const ATTEMPTS_MAX = 3
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

export interface EntrySource {
  draft: JobDraft
  /** All entries, in order; asked for again if the job must be written anew. */
  entries: () => Iterable<Entry> | AsyncIterable<Entry>
  /** What must hold for the entries to have been read rightly. */
  guards: TextStatement[]
}

/**
 * Writes the entries in one pass, in batches of bounded size; the job itself comes with the last one. So there is a job
 * only when there are all its entries, and an acceptance that breaks off leaves nothing that anybody can see.
 */
export async function acceptJob(
  scope: Scope,
  settings: JobSettings,
  source: EntrySource,
  receipt: Receipt,
): Promise<JobRow> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeJob(scope, settings, source, receipt)
    } catch (error) {
      const taken = isUniqueViolation(error, 'background_job.no') || isUniqueViolation(error, 'job_chunk.job')
      if (!taken || attempt >= ATTEMPTS_MAX) throw error
    }
  }
}

async function writeJob(
  scope: Scope,
  settings: JobSettings,
  { draft, entries, guards }: EntrySource,
  receipt: Receipt,
) {
  const id = newId(scope.now)
  const no = ridOf(id)
  let [total, invalid, sent] = [0, 0, 0]
  let chunk = newChunk(0)
  let batch: TextStatement[] = []
  let batchBytes = 0
  const close = () => {
    if (chunk.texts.length === 0) return
    batch.push(insertChunk(no, chunk, scope.now))
    batchBytes += chunk.bytes
    chunk = newChunk(total)
  }
  for await (const entry of entries()) {
    if (total === ENTRIES_MAX) throw tooMany()
    const { text, bytes, isInvalid } = encode(entry)
    if (chunk.texts.length === settings.chunkEntries || chunk.bytes + bytes > CHUNK_BYTES_MAX) close()
    if (batchBytes >= BATCH_BYTES_MAX) {
      await scope.db.batch([...(sent++ === 0 ? [markForRemoval(no, scope.now)] : []), ...batch])
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
  const job = newJob(scope, settings, draft, { id, no, total, invalid })
  const kept = sent > 0 ? [keep(no), textGuard(REMOVED_MEANWHILE, 'changes() = 1')] : []
  await scope.db.batch([
    ...guards,
    ...batch,
    ...kept,
    insertJob(scope, job),
    ...receipt.of({ json: JSON.stringify(job) }),
  ])
  return job
}

const tooMany = (): AppError =>
  new AppError('request_too_large', [{ message: `a job holds at most ${ENTRIES_MAX} entries`, path: '/body' }])

interface NewChunk {
  first: number
  texts: string[]
  bytes: number
  invalid: number
}

const newChunk = (first: number): NewChunk => ({ first, texts: [], bytes: 0, invalid: 0 })

const encoder = new TextEncoder()

function encode(entry: Entry): { text: string; bytes: number; isInvalid: boolean } {
  const text = storedEntry(entry)
  const bytes = encoder.encode(text).length
  if (bytes <= ENTRY_BYTES_MAX) return { text, bytes, isInvalid: entry.invalid !== undefined }
  const message = `an entry holds at most ${ENTRY_BYTES_MAX} bytes, this one has ${bytes}`
  const invalid = failureOf(new AppError('request_too_large', [{ message, path: '/body' }]))
  return encode({ apiType: entry.apiType, apiData: {}, invalid })
}

const insertChunk = (no: number, { first, texts, invalid }: NewChunk, now: number): TextStatement =>
  textStatement(
    'INSERT INTO job_chunk (job, first, count, invalid, updated_at, entries) VALUES (?1, ?2, ?3, ?4, ?5, ?6)',
    no,
    first,
    texts.length,
    invalid,
    now,
    `[${texts.join(',')}]`,
  )

const markForRemoval = (no: number, now: number): TextStatement =>
  textStatement('INSERT INTO chunk_removal (job, due) VALUES (?1, ?2)', no, now + ACCEPTANCE_MS_MAX)

const keep = (no: number): TextStatement => textStatement('DELETE FROM chunk_removal WHERE job = ?1', no)

interface Counted {
  id: string
  no: number
  total: number
  invalid: number
}

/** A job without an entry that can be run has ended as soon as it is there. */
function newJob(
  scope: Scope,
  { silenceMs }: JobSettings,
  draft: JobDraft,
  { id, no, total, invalid }: Counted,
): JobRow {
  const { now, user } = scope
  const startAt = draft.startAt !== null && draft.startAt > now ? draft.startAt : null
  const isDone = invalid === total
  const status = invalid === 0 ? 'SUCCESS' : 'ERROR'
  return {
    ...draft,
    startAt,
    no,
    id,
    total,
    invalid,
    completionStatus: isDone ? status : startAt === null ? 'IN_PROGRESS' : 'NOT_STARTED',
    step: 0,
    cursor: isDone ? total : 0,
    deferred: '[]',
    inProgress: 0,
    inProgressTo: 0,
    claimed: 0,
    success: 0,
    error: 0,
    cancelled: 0,
    givenUp: 0,
    createdBy: user.id,
    updatedAt: now,
    startedAt: isDone || startAt === null ? now : 0,
    completedAt: isDone ? now : 0,
    wakeAt: startAt ?? now + silenceMs,
    pausedBy: null,
    pausedBecause: null,
  }
}
