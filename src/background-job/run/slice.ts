import { sql } from 'drizzle-orm'
import { type Cost, createCost } from '../../db/cost.ts'
import { select } from '../../db/statement.ts'
import { createTeamScope, type Scope, type Team } from '../../scope.ts'
import { team as teamTable } from '../../team/table.ts'
import type { StoredBytes } from '../accept/store-chunks.ts'
import { type Chunk, getChunkEnd } from '../chunk.ts'
import { selectChunkAt } from '../chunk-rows.ts'
import type { Collection } from '../collect/collection.ts'
import type { Outcome } from '../entry.ts'
import { newChunkReader, type ReadChunkRow } from '../erasure/eraser.ts'
import { PENDING_ERASURES_MAX, selectPendingErasures } from '../erasure/pending.ts'
import type { FollowUpRequest } from '../follow-up/request.ts'
import type { FollowUpSource } from '../follow-up/take-entries.ts'
import { selectJob, whereJob } from '../job-rows.ts'
import { type EntryRunner, StaleJobError } from '../kind.ts'
import { createTextReader } from '../object/read-texts.ts'
import type { JobMessage } from '../queue.ts'
import type { JobRow } from '../rules.ts'
import { backgroundJob } from '../table.ts'
import { whereStoredMayRun } from '../team-concurrency.ts'
import type { JobEngine } from './engine.ts'
import { reportProgress } from './report-progress.ts'

/** D1 lets an invocation run 1,000; what has to be written in any case gets the rest. */
const STATEMENTS_PER_INVOCATION_MAX = 900
/** The sweep of erasures goes on each minute. */
const ERASURES_WAIT_MS = 30_000

/**
 * Runs the steps of a job. There are two: the engine's own is a plain loop for what changes the database; a kind whose
 * effects are outside of it brings the other one, with its queue.
 */
export interface JobRunner {
  /** Runs steps until nothing is left, nothing can be run now, or the slice is over. */
  runSlice: (slice: JobSlice, entriesMax: number) => Promise<void>
  /** Runs one step of so many entries at most, to its end. */
  runStep: (slice: JobSlice, entriesMax: number) => Promise<void>
  /** Ends so many entries at most, which have failed again and again, without running them. */
  endEntries: (
    slice: JobSlice,
    entriesMax: number,
    toOutcome: (runner: EntryRunner | undefined) => Outcome,
  ) => Promise<void>
}

/** A job in the hands of a runner, for a slice of it: then other jobs are run. */
export interface JobSlice {
  engine: JobEngine
  team: Team
  /** The row as it was last written. */
  job: JobRow
  /** The chunk that was last read. */
  chunk: Chunk | undefined
  /** Whether the team's limit admits it; if not, an older job of the team sends its message when it ends. */
  mayRun: boolean
  /** Its team is suspended: nothing of the job is run, and the cron sends its message when the team is resumed. */
  isSuspended: boolean
  /** The time of the team's last erasure before the entries were read. */
  lastErasureAt: number | null
  /** Reads a chunk without what has yet to be erased of it. */
  readChunk: ReadChunkRow
  /** The query or the other job by which the remaining entries are found. It is read by the first step that finds some. */
  collection?: Collection | FollowUpRequest
  /** The bytes of the entries stored so far, read together with `collection`. */
  stored?: StoredBytes
  /** The other job, where they are made of its entries. */
  followUp?: FollowUpSource
  cost: Cost
  /** Makes the scope of one step, with a time limit of its own and the present time. */
  scope: () => Scope
  startedAt: number
  steps: number
  /** Entries that were run, and those that are being run. */
  entries: number
  /** Another job of the team waits in the queue for this slice to end. */
  isAwaited?: boolean
  /** Why the last step could not get further. */
  wait?: Wait | undefined
  reports: Promise<unknown>[]
}

/** Why no other entry can be run now. */
export interface Wait {
  ms: number
  /** Instead of a time: the plugin that must work again before the job goes on. */
  pause?: { plugin: number; because: string }
}

const { no, id, shortId, name, eventFeedSince, lastErasureAt, suspendedAt } = teamTable

/** Begins a slice: reads the job with its team and the chunk at its cursor in one round trip, or in two while somebody is being erased. */
export async function startSlice(engine: JobEngine, message: JobMessage): Promise<JobSlice | undefined> {
  const cost = createCost()
  cost.statementsMax = STATEMENTS_PER_INVOCATION_MAX
  const isIt = whereJob(message.team, message.job)
  const [[found], [job], [chunk], [limit], erasures] = await engine
    .openDb(cost)
    .read(
      select(
        { no, id, shortId, name, eventFeedSince, lastErasureAt, suspendedAt },
        sql`FROM ${teamTable} WHERE ${no} = ${message.team}`,
      ),
      selectJob(message.team, message.job),
      selectChunkAt(
        message.team,
        message.job,
        sql`(SELECT ${backgroundJob.cursor} FROM ${backgroundJob} WHERE ${isIt})`,
      ),
      select({ mayRun: whereStoredMayRun(engine.settings.teamJobs) }, sql`FROM ${backgroundJob} WHERE ${isIt}`),
      selectPendingErasures(message.team, message.job),
    )
  if (!found || !job) return undefined
  const { lastErasureAt: erasedAt, suspendedAt: teamSuspendedAt, ...team } = found
  const readTexts = createTextReader(engine.archive, team, job)
  const readChunk = newChunkReader(engine.kinds, { team: team.no, job, people: erasures }, readTexts)
  const by = { team, user: { id: job.createdBy }, origin: { job: job.id } }
  return {
    engine,
    team,
    job,
    cost,
    startedAt: Date.now(),
    steps: 0,
    entries: 0,
    reports: [],
    lastErasureAt: erasedAt,
    readChunk,
    chunk: chunk && (await readChunk(engine.openDb(cost), chunk)),
    mayRun: limit?.mayRun === 1,
    isSuspended: teamSuspendedAt !== null,
    // More are being erased than it can look for.
    wait: erasures.length === PENDING_ERASURES_MAX ? { ms: ERASURES_WAIT_MS } : undefined,
    scope: () => createTeamScope(engine.openDb(cost), by, Date.now()),
  }
}

/** The chunk that an entry is in. */
export async function loadChunkAt(
  { chunk, readChunk, team, job, engine, cost }: JobSlice,
  index: number,
): Promise<Chunk> {
  if (chunk && chunk.first <= index && index < getChunkEnd(chunk)) return chunk
  const [[row]] = await engine.openDb(cost).read(selectChunkAt(team.no, job.no, index))
  if (!row) throw new Error(`job ${job.id} has no entry ${index}`)
  return readChunk(engine.openDb(cost), row)
}

/** Makes a row that was written the present one of the slice, and reports it to the job's object. */
export function continueFromRow(slice: JobSlice, row: JobRow | undefined): void {
  if (!row) throw new StaleJobError()
  const { engine, team } = slice
  slice.job = row
  slice.reports.push(
    reportProgress(engine.settings, () => engine.progress(team.no, row.no), { team, job: row }),
    engine.committed(team),
  )
}

/** Tells whether a slice has run its share of entries, time or statements. Its share of entries is set in chunks. */
export function isSliceOver(
  { engine, entries, cost, startedAt }: JobSlice,
  { ms, statements }: { ms: number; statements: number },
): boolean {
  const { sliceChunks, chunkEntries } = engine.settings
  return entries >= (sliceChunks - 1) * chunkEntries || Date.now() - startedAt > ms || cost.statements > statements
}
