import { type SQL, sql } from 'drizzle-orm'
import { guard, isGuardFailure, isUniqueViolation } from '../../db/guard.ts'
import { retryOnConflict } from '../../db/retry.ts'
import { type Statement, statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { AppError } from '../../errors.ts'
import { toAuthorJson } from '../../event/append.ts'
import { toWarningsMeta, type Warning } from '../../http/response/warnings.ts'
import { newId, toRowNo } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import type { PendingCollection } from '../collect/collection.ts'
import type { Entry } from '../entry.ts'
import { erasedMeanwhileError, isErasedMeanwhile } from '../erasure/pending.ts'
import { insertEndedEvent } from '../events.ts'
import { insertJob } from '../job-rows.ts'
import { chooseQueue } from '../queue.ts'
import { isRemovedMeanwhile, keepMarked, markForRemoval, noteObjects, renewMark, stoodStillError } from '../removal.ts'
import { COLLECTING_CURSOR, type JobQueue, type JobRow } from '../rules.ts'
import type { JobSettings } from '../settings.ts'
import { backgroundJob } from '../table.ts'
import { selectMayRun } from '../team-concurrency.ts'
import { encodeTitle, type JobTitle } from '../title.ts'
import { packChunks, STREAM_ENTRIES_MAX } from './pack-chunks.ts'
import type { JobRequest } from './request.ts'
import { refuseBulkWhenNearlyFull } from './storage-limit.ts'
import { storeChunks } from './store-chunks.ts'

/** The interval at which the chunks of a body that comes in slowly are kept from being removed. */
const RENEW_AFTER_MS = 60_000
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
  /** True if it runs at once. Otherwise its queue message is sent when an older job of the team has ended. */
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
  getQueue?: (apiType: string) => JobQueue | undefined
  /** The queue of its own that a kind of those entries has that the queue has yet to find. */
  queue?: JobQueue | undefined
}

export const isRowNumberTaken = (error: unknown): boolean =>
  isGuardFailure(error, NUMBER_TAKEN) ||
  ['background_job.no', 'job_chunk.job', 'chunk_removal.job'].some(column => isUniqueViolation(error, column))

/** What an acceptance takes of a request: how jobs are stored, and where. */
type AcceptSettings = Pick<JobRequest, 'settings' | 'archive'>

/**
 * Writes the entries in one pass, in batches of bounded size; the job itself comes with the last one. So there is a job
 * only when there are all its entries, and an acceptance that breaks off leaves nothing that anybody can see. What of a
 * batch goes to an object is put before its rows.
 *
 * Where there are several batches, the first one has the guards: entries that come in for minutes were read by the
 * definition that was in force when the request began, as if it had been accepted then.
 */
export async function acceptJob(scope: Scope, how: AcceptSettings, source: EntrySource): Promise<AcceptedJob> {
  refuseBulkWhenNearlyFull(scope, how.settings)
  try {
    return await retryOnConflict(isOvertaken, () => writeJob(scope, how, source))
  } catch (error) {
    if (isRemovedMeanwhile(error)) throw stoodStillError(error)
    throw isErasedMeanwhile(error) ? erasedMeanwhileError(error) : error
  }
}

const isOvertaken = (error: unknown): boolean => isRowNumberTaken(error) || isErasedMeanwhile(error)

async function writeJob(
  scope: Scope,
  { settings, archive }: AcceptSettings,
  source: EntrySource,
): Promise<AcceptedJob> {
  const { entries, guards } = source
  const { team, now } = scope
  const id = newId(now)
  const no = toRowNo(id)
  let [total, invalid, sent] = [0, 0, 0]
  let renewedAt = now
  let queue = source.queue ?? null
  const chunks = packChunks(0, settings)
  const store = storeChunks({ team, job: { no, id }, bucket: archive }, settings)
  const getMarked = () => ({ team, job: { no, id }, hasObjects: store.hasObjects() })
  async function writeBatch(): Promise<void> {
    // The last round trip told how full the database is; a job can be as large as all that is left.
    refuseBulkWhenNearlyFull(scope, settings)
    const effect = await store.write()
    // Each round trip has a time limit of its own: a large request takes long to be read.
    const writer = { db: scope.db.reconnect(), idempotency: null }
    const at = Date.now()
    const isRenewed = sent > 0 && (store.hasObjects() || at > renewedAt + RENEW_AFTER_MS)
    if (sent === 0 || isRenewed) renewedAt = at
    if (sent === 0) {
      const first = [...guards, ...guardBeginning(scope, no)]
      await write(writer, { guards: first, effect: [markForRemoval(getMarked(), at), ...effect], outcome: null })
      source.release?.()
    } else await write(writer, { effect: [...(isRenewed ? renewMark(getMarked(), at) : []), ...effect], outcome: null })
    sent++
  }
  for await (const entry of entries()) {
    if (total === STREAM_ENTRIES_MAX) throw tooManyEntriesError()
    queue ??= source.getQueue?.(entry.apiType) ?? null
    const { closed, isInvalid } = chunks.add(entry)
    store.add(closed)
    if (store.isFull()) await writeBatch()
    total++
    invalid += isInvalid ? 1 : 0
  }
  store.add(chunks.close())
  const uncollected = source.uncollected?.() ?? null
  if (uncollected && 'apiType' in uncollected.collection)
    queue ??= source.getQueue?.(uncollected.collection.apiType) ?? null
  const draft = await source.draft()
  const job = newJob(scope, settings, draft, {
    id,
    no,
    total,
    invalid,
    // A dry run has no effects that need a queue of their own.
    queue: chooseQueue(draft.isDryRun ? null : queue, uncollected ? Number.POSITIVE_INFINITY : total),
    collectedTo: uncollected?.collectedTo ?? null,
  })
  const accepted = { ...job, ...toWarningsMeta(source.warnings?.()) }
  const collecting = uncollected && JSON.stringify(uncollected.collection)
  const batch = await store.write()
  const kept = sent > 0 ? keepMarked(getMarked(), Date.now()) : store.hasObjects() ? [noteObjects(getMarked())] : []
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

const tooManyEntriesError = (): AppError =>
  new AppError('request_too_large', [{ message: `a job holds at most ${STREAM_ENTRIES_MAX} entries`, path: '/body' }])

/** Guards what is written before the job itself: its number is free, and the idempotency key was not used. */
export const guardBeginning = ({ idempotency }: Scope, job: number): Statement[] => [
  isNumberFree(job),
  ...(idempotency ? [idempotency.guard()] : []),
]

const isNumberFree = (job: number): Statement =>
  guard(NUMBER_TAKEN, sql`NOT EXISTS (SELECT 1 FROM ${backgroundJob} WHERE ${backgroundJob.no} = ${job})`)

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
    startAt,
    total,
    invalid,
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
