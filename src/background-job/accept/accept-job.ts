import { type SQL, sql } from 'drizzle-orm'
import { guard, isGuardFailure, isUniqueViolation } from '../../db/guard.ts'
import { retryOnConflict } from '../../db/retry.ts'
import { insertInto, type Statement, statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { AppError } from '../../errors.ts'
import { toAuthorJson } from '../../event/append.ts'
import { toWarningsMeta, type Warning } from '../../http/response/warnings.ts'
import { newId, toRowNo } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { insertChunk } from '../chunk-rows.ts'
import type { PendingCollection } from '../collect/collection.ts'
import { insertEndedEvent } from '../completion-event.ts'
import type { Entry } from '../entry.ts'
import { isErasedMeanwhile } from '../erasure/pending.ts'
import { insertJob } from '../job-rows.ts'
import { chooseQueue } from '../queue.ts'
import { COLLECTING_CURSOR, type JobQueue, type JobRow } from '../rules.ts'
import type { JobSettings } from '../settings.ts'
import { backgroundJob, chunkRemoval } from '../table.ts'
import { selectMayRun } from '../team-concurrency.ts'
import { encodeTitle, type JobTitle } from '../title.ts'
import { getEntriesMax, type PackedChunk, packChunks } from './pack-chunks.ts'
import { refuseBulkWhenNearlyFull } from './storage-limit.ts'

/** What goes to the database in one round trip. Nearly every request fits into one; a larger one holds no more in memory. */
const BATCH_BYTES_MAX = 2_000_000
/** An acceptance that has not finished by then never will: the chunks that it has written are removed. */
const ACCEPTANCE_MS_MAX = 15 * 60_000
const REMOVED_MEANWHILE = 'the chunks were removed meanwhile'
const NUMBER_TAKEN = 'the number of the job is taken'

export interface JobDraft {
  type: string
  procedure: string | null
  startAt: number | null
  retryOf: string | null
  firstJob: string | null
  retrySelection: string | null
  isDryRun: boolean
  applyOf: string | null
  undoOf: string | null
  /** A `JobTitle` as JSON. */
  title: string | null
}

/** A job that follows from no other. */
export const FIRST_JOB = {
  retryOf: null,
  firstJob: null,
  retrySelection: null,
  isDryRun: false,
  applyOf: null,
  undoOf: null,
} satisfies Partial<JobDraft>

/** The type of a job whose entries were made of one bulk request: either all of them send, or none does. */
export const BULK_JOB = 'bulk_api_job'

/** A bulk request about one procedure. */
export const bulkDraft = (procedure: string, isDryRun: boolean, title: JobTitle): JobDraft => ({
  type: BULK_JOB,
  procedure,
  startAt: null,
  ...FIRST_JOB,
  isDryRun,
  title: encodeTitle(title),
})

export interface AcceptedJob {
  job: AcceptedRow
  /** Whether it runs at once; if not, it gets its message when an older job of the team has ended. */
  mayRun: boolean
}

/** The outcome of a request that was accepted: the job, and what to warn of. It is kept for a retry. */
export type AcceptedRow = JobRow & { warnings?: readonly Warning[] }

export interface EntrySource {
  /** Asked for when all entries were read. */
  draft: () => JobDraft | Promise<JobDraft>
  /** All entries, in order; asked for again if the first transaction fails. */
  entries: () => Iterable<Entry> | AsyncIterable<Entry>
  /** The first transaction has held: the entries that were read are not asked for again. */
  release?: () => void
  /** What must hold for the entries to be read rightly: as of the first transaction. */
  guards: Statement[]
  /** What must hold when the job is there: asked for when all entries were read. */
  lastGuards?: () => Statement[]
  /** The entries that the queue has yet to find: the job is accepted before it has all. Asked for when all entries were read. */
  uncollected?: () => PendingCollection | null
  /** What the response warns of. Asked for when all entries were read. */
  warnings?: () => readonly Warning[]
  /** As what table the results can be sent back; null: as none. Asked for when all entries were read. */
  columns?: () => string | SQL | null
  /** The queue of its own that the kind of an entry has: the first one that there is becomes the job's. */
  queueOf?: (apiType: string) => JobQueue | undefined
  /** The queue of its own that a kind of those entries has that the queue has yet to find. */
  queue?: JobQueue | undefined
}

export const isRowNumberTaken = (error: unknown): boolean =>
  isGuardFailure(error, NUMBER_TAKEN) ||
  ['background_job.no', 'job_chunk.job', 'chunk_removal.job'].some(column => isUniqueViolation(error, column))

/**
 * Writes the entries in one pass, in batches of bounded size; the job itself comes with the last one. So there is a job
 * only when there are all its entries, and an acceptance that breaks off leaves nothing that anybody can see.
 *
 * Where there are several batches, the first one has the guards: entries that come in for minutes were read by the
 * definition that was in force when the request began, as if it had been accepted then.
 */
export async function acceptJob(scope: Scope, settings: JobSettings, source: EntrySource): Promise<AcceptedJob> {
  refuseBulkWhenNearlyFull(scope, settings)
  try {
    return await retryOnConflict(isOvertaken, () => writeJob(scope, settings, source))
  } catch (error) {
    if (!isErasedMeanwhile(error)) throw error
    throw new AppError('conflict', 'customers are being erased at this moment: try again', error)
  }
}

const isOvertaken = (error: unknown): boolean => isRowNumberTaken(error) || isErasedMeanwhile(error)

async function writeJob(scope: Scope, settings: JobSettings, source: EntrySource): Promise<AcceptedJob> {
  const { entries, guards } = source
  const { team, now } = scope
  const id = newId(now)
  const no = toRowNo(id)
  const entriesMax = getEntriesMax(settings)
  let [total, invalid, sent] = [0, 0, 0]
  let queue = source.queue ?? null
  const chunks = packChunks(0, settings)
  let batch: Statement[] = []
  let batchBytes = 0
  const put = (chunk: PackedChunk | undefined) => {
    if (!chunk) return
    batch.push(insertChunk(team.no, no, chunk))
    batchBytes += chunk.bytes
  }
  for await (const entry of entries()) {
    if (total === entriesMax) throw tooMany(entriesMax)
    queue ??= source.queueOf?.(entry.apiType) ?? null
    const { closed, isInvalid } = chunks.add(entry)
    put(closed)
    if (batchBytes >= BATCH_BYTES_MAX) {
      // Each round trip has a time limit of its own: a large request takes long to be read.
      const writer = { db: scope.db.reconnect(), idempotency: null }
      if (sent > 0) await write(writer, { effect: batch, outcome: null })
      else {
        await write(writer, {
          guards: [...guards, ...guardBeginning(scope, no)],
          effect: [markForRemoval(team.no, no, now), ...batch],
          outcome: null,
        })
        source.release?.()
      }
      sent++
      batch = []
      batchBytes = 0
    }
    total++
    invalid += isInvalid ? 1 : 0
  }
  put(chunks.close())
  const uncollected = source.uncollected?.() ?? null
  if (uncollected && 'apiType' in uncollected.collection)
    queue ??= source.queueOf?.(uncollected.collection.apiType) ?? null
  const draft = await source.draft()
  const job = newJob(scope, settings, draft, {
    ...{ id, no, total, invalid },
    // A dry run has no effects that need a queue of their own.
    queue: chooseQueue(draft.isDryRun ? null : queue, uncollected ? Number.POSITIVE_INFINITY : total),
    collectedTo: uncollected?.collectedTo ?? null,
  })
  const accepted = { ...job, ...toWarningsMeta(source.warnings?.()) }
  const collecting = uncollected && JSON.stringify(uncollected.collection)
  const kept = sent > 0 ? [keepChunks(team.no, no), guard(REMOVED_MEANWHILE, sql`changes() = 1`)] : []
  const [{ rows }] = await write(
    { db: scope.db.reconnect(), idempotency: scope.idempotency },
    {
      guards: [...(sent > 0 ? [] : guards), ...(source.lastGuards?.() ?? [])],
      effect: [
        selectMayRun(team.no, job, settings.teamJobs),
        ...batch,
        ...kept,
        statement(insertJob(team.no, job, { collecting, columns: source.columns?.() ?? null })),
        ...(job.completedAt === 0 ? [] : [insertEndedEvent(team.no, no, now, toAuthorJson(scope))]),
      ] as const,
      outcome: { json: JSON.stringify(accepted) },
    },
  )
  return { job: accepted, mayRun: rows[0]?.mayRun === 1 }
}

const tooMany = (entriesMax: number): AppError =>
  new AppError('request_too_large', [{ message: `a job holds at most ${entriesMax} entries`, path: '/body' }])

export const markForRemoval = (team: number, job: number, now: number): Statement =>
  statement(insertInto(chunkRemoval, { job, team, due: now + ACCEPTANCE_MS_MAX }))

/** Guards what is written before the job itself: its number is free, and the idempotency key was not used. */
export const guardBeginning = ({ idempotency }: Scope, job: number): Statement[] => [
  isNumberFree(job),
  ...(idempotency ? [idempotency.guard()] : []),
]

const isNumberFree = (job: number): Statement =>
  guard(NUMBER_TAKEN, sql`NOT EXISTS (SELECT 1 FROM ${backgroundJob} WHERE ${backgroundJob.no} = ${job})`)

const keepChunks = (team: number, job: number): Statement =>
  statement(sql`DELETE FROM ${chunkRemoval} WHERE ${chunkRemoval.team} = ${team} AND ${chunkRemoval.job} = ${job}`)

interface EntryCounts {
  id: string
  no: number
  total: number
  invalid: number
  queue: JobQueue | null
  collectedTo: number | null
}

/** A job without an entry that can be run has ended as soon as it is there. */
function newJob(
  { now, user }: Scope,
  { resendAfterMs }: JobSettings,
  draft: JobDraft,
  { total, invalid, ...named }: EntryCounts,
): JobRow {
  const startAt = draft.startAt !== null && draft.startAt > now ? draft.startAt : null
  const isCollected = named.collectedTo === null
  const isDone = isCollected && invalid === total
  const status = invalid === 0 ? 'SUCCESS' : 'ERROR'
  return {
    ...draft,
    isDryRun: draft.isDryRun ? 1 : 0,
    ...named,
    ...{ startAt, total, invalid },
    completionStatus: isDone ? status : startAt === null ? 'IN_PROGRESS' : 'NOT_STARTED',
    cursor: isCollected ? (isDone ? total : 0) : COLLECTING_CURSOR,
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
  unfinished: '[]',
  outstanding: 0,
  inProgress: 0,
  inProgressTo: 0,
  success: 0,
  error: 0,
  cancelled: 0,
  giveUpBatchSize: 0,
  pausedBy: null,
  pausedBecause: null,
  pausedAt: null,
  interruptedAt: null,
  archivedAt: null,
  cancelledBecause: null,
}
