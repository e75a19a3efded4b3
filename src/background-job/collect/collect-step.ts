import { sql } from 'drizzle-orm'
import { assignments, returning, type Statement, select } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { AppError, notFound } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import { packChunks } from '../accept/pack-chunks.ts'
import { type StoredBytes, storeChunks } from '../accept/store-chunks.ts'
import { cancelledCounts, notBefore } from '../cancelled-counts.ts'
import { selectStoredBytes } from '../chunk-rows.ts'
import { type Entry, toFailure } from '../entry.ts'
import { guardNobodyErased } from '../erasure/pending.ts'
import { loadPendingErasures } from '../erasure/unerased.ts'
import type { FollowUpRequest } from '../follow-up/request.ts'
import { addTaken, type FollowUpSource, openFollowUp, takeEntriesOfStep } from '../follow-up/take-entries.ts'
import { nothingToUndoError } from '../follow-up/undo.ts'
import { findJob, JOB_FIELDS, selectJob, whereJob } from '../job-rows.ts'
import { getKind, StaleJobError } from '../kind.ts'
import { noneInGroupError } from '../read/failure-groups.ts'
import { type StoredEntries, storedEntries } from '../read/stored-entries.ts'
import { noteObjects } from '../removal.ts'
import type { JobRow, RetrySelection } from '../rules.ts'
import { endJob } from '../run/end-slice.ts'
import { continueFromRow, type JobSlice } from '../run/slice.ts'
import { guardNotCancelled, renewWakeAt, throwStale } from '../run/statements.ts'
import { wasContended } from '../run/yield.ts'
import { backgroundJob as job } from '../table.ts'
import { type Collection, computeSizes, getStepSize, toMatchEntry } from './collection.ts'

/** Then what was found is written down, though it may fill no page. */
const STEP_MS = 2_000
const STEP_TRIPS_MAX = 100

/** Finds the next entries of a job and adds them to it. That takes effect once or not at all, as any step does. */
export async function collectStep(slice: JobSlice): Promise<void> {
  const { collection, stored } = await readCollecting(slice)
  try {
    await commitFound(
      slice,
      stored,
      await ('of' in collection ? takeNext(slice, collection) : findMatches(slice, collection)),
    )
  } catch (error) {
    // Others may be in the way now and not later; whatever else it is stays as it is.
    if (!(error instanceof AppError) || error.code === 'conflict') throw error
    await cancelCollecting(slice, error)
  }
}

/** Reads once for all steps of a slice what is to be found, and how much is stored. */
async function readCollecting(
  slice: JobSlice,
): Promise<{ collection: Collection | FollowUpRequest; stored: StoredBytes }> {
  const { engine, team, job, cost, collection, stored } = slice
  if (collection && stored) return { collection, stored }
  const [[row], [sizes]] = await engine
    .openDb(cost)
    .read(selectCollection(team.no, job.no), selectStoredBytes(team.no, job.no))
  // Another runner has found all, or the job was cancelled.
  if (!row?.collecting || !sizes) throw new StaleJobError()
  slice.collection = JSON.parse(row.collecting) as Collection | FollowUpRequest
  slice.stored = { ...sizes, hasObjects: sizes.hasObjects === 1 }
  return { collection: slice.collection, stored: slice.stored }
}

/** What a step adds to the job, and what must hold for it. */
interface CollectedEntries {
  entries: Entry[]
  /** Where the next step goes on; null: all are found. */
  rest: number | null
  guards: Statement[]
  /** What a retry has taken by then. */
  retrySelection?: string
}

async function findMatches(slice: JobSlice, collection: Collection): Promise<CollectedEntries> {
  const { engine, job, scope } = slice
  const { apiType, where, moment, consent } = collection
  const { pageEntries, entriesMax } = computeSizes(collection, engine.settings)
  const kind = getKind(engine.kinds, apiType)
  if (!kind?.find) throw new AppError('invalid_request', `entries of the kind ${apiType} cannot be found by a query`)
  const { names, rest } = await kind.find({
    scope: scope(),
    procedure: job.procedure ?? '',
    where,
    moment,
    confirmation: consent,
    before: job.collectedTo,
    limit: pageEntries,
    mayGoOn: mayGoOn(slice),
  })
  if (job.total + names.length > entriesMax) throw tooManyMatchesError(entriesMax)
  return { entries: names.map(name => toMatchEntry(collection, name)), rest, guards: [] }
}

/** Whether a step that has not found enough may make another round trip. */
function mayGoOn({ cost }: JobSlice): () => boolean {
  const startedAt = Date.now()
  const mostStatements = cost.statements + STEP_TRIPS_MAX
  let before = { ...cost }
  const makesWay = () => {
    const waited = wasContended(before, cost)
    before = { ...cost }
    return waited
  }
  return () => !makesWay() && Date.now() - startedAt < STEP_MS && cost.statements < mostStatements
}

/** Takes the next entries of another job. Nobody may have been erased since those were read. */
async function takeNext(slice: JobSlice, request: FollowUpRequest): Promise<CollectedEntries> {
  const { engine, job, team } = slice
  const scope = slice.scope()
  slice.followUp ??= await openOther(slice, scope, request)
  const { lastErasureAt, erase } = await loadPendingErasures(scope, engine.kinds, slice.followUp.job)
  const limits = { entriesMax: getStepSize(engine.settings), mayGoOn: mayGoOn(slice) }
  const { entries, taken, rest } = await takeEntriesOfStep(slice.followUp, erase, job.collectedTo, limits)
  if (rest === null && job.total + entries.length === 0) throw noneTakenError(request)
  const found = { entries, rest, guards: [guardNobodyErased(team.no, lastErasureAt)] }
  if (job.retrySelection === null) return found
  const selection = JSON.parse(job.retrySelection) as RetrySelection
  addTaken(selection.taken, taken)
  return { ...found, retrySelection: JSON.stringify(selection) }
}

async function openOther(
  { engine, team, cost, job: { total: before } }: JobSlice,
  scope: Scope,
  request: FollowUpRequest,
): Promise<FollowUpSource> {
  const job = await findJob(scope, request.of, selectJob)
  if (!job) throw notFound(`background job ${request.of}`)
  const { archive, kinds } = engine
  const source = storedEntries({ team, archive, connection: () => engine.openDb(cost) }, job)
  return openFollowUp(scope, kinds, { job, source: withCountsKept(source), request, before })
}

/** The other job has ended: how its entries ended is read once for all steps of a slice. */
function withCountsKept(source: StoredEntries): StoredEntries {
  let counts: ReturnType<StoredEntries['counts']> | undefined
  return { ...source, counts: () => (counts ??= source.counts()) }
}

const noneTakenError = ({ does, of, group, statuses }: FollowUpRequest): AppError =>
  does === 'retry'
    ? noneInGroupError({ id: of }, { group, statuses }, { path: '/body/group' })
    : nothingToUndoError({ id: of })

async function commitFound(
  slice: JobSlice,
  stored: StoredBytes,
  { entries, rest, guards, retrySelection }: CollectedEntries,
): Promise<void> {
  const { engine, team, job, cost } = slice
  const packing = packChunks(job.total, engine.settings)
  const store = storeChunks({ team, job, bucket: engine.archive }, engine.settings, stored)
  let invalid = 0
  for (const entry of entries) {
    const { closed, isInvalid } = packing.add(entry)
    store.add(closed)
    invalid += isInvalid ? 1 : 0
  }
  store.add(packing.close())
  const now = Date.now()
  const update = addCollected(team.no, job.no, {
    rest,
    now,
    count: entries.length,
    invalid,
    wakeAt: renewWakeAt(job, engine.settings.resendAfterMs, now),
    ...(retrySelection === undefined ? {} : { retrySelection }),
  })
  const chunks = await store.write()
  const effect = [update, ...chunks, ...(store.hasObjects() ? [noteObjects({ team, job })] : [])] as const
  const writer = { db: engine.openDb(cost), idempotency: null }
  const all = [guardNotCancelled(team.no, job), ...guards]
  const [updated] = await write(writer, { guards: all, effect, outcome: null })
    .catch(throwStale)
    .catch(async (error: unknown) => {
      // What was read may be of somebody who was erased meanwhile.
      if (error instanceof StaleJobError) await store.remove(engine.archive)
      throw error
    })
  slice.stored = store.stored()
  continueFromRow(slice, updated.rows[0])
}

/** Nothing of the job was run: it ends as it is, and says why. */
export async function cancelCollecting(slice: JobSlice, error: AppError): Promise<void> {
  const { team, job } = slice
  const ended = await endJob(slice, cancelUncollected(team.no, job, toFailure(error).message, Date.now()))
  if (!ended) throw new StaleJobError()
  slice.job = ended
}

const tooManyMatchesError = (entriesMax: number): AppError =>
  new AppError('request_too_large', `more than ${entriesMax} processes match, and a job holds no more entries`)

const selectCollection = (team: number, no: number): Statement<{ collecting: string | null }> =>
  select({ collecting: job.collecting }, sql`FROM ${job} WHERE ${whereJob(team, no)}`)

interface CollectProgress {
  count: number
  invalid: number
  /** Where the next step goes on; null: all are found, and the job begins at its first entry. */
  rest: number | null
  wakeAt: number | undefined
  retrySelection?: string
  now: number
}

/** What a collecting step writes besides the chunks. */
const addCollected = (team: number, no: number, step: CollectProgress): Statement<JobRow> =>
  returning(
    sql`UPDATE ${job} SET ${assignments(job, {
      ...(step.rest === null ? { collecting: null, cursor: 0 } : {}),
      ...(step.wakeAt === undefined ? {} : { wakeAt: step.wakeAt }),
      ...(step.retrySelection === undefined ? {} : { retrySelection: step.retrySelection }),
      collectedTo: step.rest,
      total: sql`${job.total} + ${step.count}`,
      invalid: sql`${job.invalid} + ${step.invalid}`,
      revision: sql`${job.revision} + 1`,
      updatedAt: notBefore(step.now),
    })} WHERE ${whereJob(team, no)}`,
    JOB_FIELDS,
  )

/** Cancels a job whose entries cannot all be found. It changes nothing if the job is not where the runner believes it to be. */
const cancelUncollected = (
  team: number,
  { no, revision }: Pick<JobRow, 'no' | 'revision'>,
  because: string,
  now: number,
): Statement<JobRow> =>
  returning(
    sql`UPDATE ${job} SET ${assignments(job, {
      completionStatus: 'CANCELLED',
      ...cancelledCounts(now),
      cancelledBecause: because,
      revision: sql`${job.revision} + 1`,
    })} WHERE ${whereJob(team, no)} AND ${job.completedAt} = 0 AND ${job.revision} = ${revision}`,
    JOB_FIELDS,
  )
