import { type Chunk, decodeChunk, endOfChunk } from '../../chunk.ts'
import { selectChunkAt } from '../../chunk-rows.ts'
import { deferredOf, isCancelled, type JobRow } from '../../rules.ts'
import { deferredBehind, jobBehind } from './detached.ts'
import type { Turn } from './running-job.ts'
import { type PlannedStep, planDeferred, planStep } from './step-rules.ts'

/** Of the entries of a step, as they are stored: what the database does with them takes a multiple of it. */
const STEP_BYTES_MAX = 400_000
/** So many entries of a job may be deferred at the same time: they stand in its row. */
const DEFERRED_ENTRIES_MAX = 500

/** What comes next: what was deferred and is due, else what is at the cursor; or for how many ms there is nothing. */
export async function chooseStep(turn: Turn, entriesMax: number): Promise<PlannedStep | number> {
  const { engine } = turn
  const job = jobBehind(turn)
  const isEnding = isCancelled(job)
  const now = Date.now()
  const deferred = deferredBehind(turn)
  const [soonest] = deferred
  const limits = { entries: entriesMax, bytes: STEP_BYTES_MAX }
  // A cancelled job waits for no time, and takes in first what was dispatched at the cursor.
  if (soonest && (isEnding ? job.dispatched === 0 : soonest.at <= now)) {
    const due = deferred.filter(({ at }) => at <= now || isEnding)
    return planDeferred(engine.kinds, job, await chunkAt(turn, soonest.index), due, limits)
  }
  if (soonest && job.cursor === job.total) return soonest.at - now
  // Each takes its place in the row of the job, so there is an end to what can be deferred.
  if (soonest && !hasRoom(job) && !isEnding) return soonest.at - now
  const entries = isEnding ? Math.min(job.dispatched, entriesMax) : entriesMax
  const chunk = await chunkAt(turn, job.cursor)
  turn.chunk = chunk
  return planStep(engine.kinds, job, chunk, { ...limits, entries })
}

const hasRoom = (job: JobRow): boolean => deferredOf(job).length < DEFERRED_ENTRIES_MAX

/** Whether the entries of a step may be deferred because others remain, which were not looked at yet. */
export const mayDefer = (turn: Turn, { cursor, isDeferred }: PlannedStep): boolean =>
  hasRoom(turn.job) && (isDeferred ? turn.job.cursor : cursor) < turn.job.total

async function chunkAt(turn: Turn, index: number): Promise<Chunk> {
  const { chunk, team, job, engine, cost } = turn
  if (chunk && chunk.first <= index && index < endOfChunk(chunk)) return chunk
  const [[row]] = await engine.openDb(cost).read(selectChunkAt(team.no, job.no, index))
  if (!row) throw new Error(`job ${job.id} has no entry ${index}`)
  return decodeChunk(row)
}
