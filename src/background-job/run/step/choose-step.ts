import { type Chunk, decodeChunk, endOfChunk } from '../../chunk.ts'
import { selectChunkAt } from '../../chunk-rows.ts'
import { type DeferredEntry, isCancelled, nextTryAt, passedOf } from '../../rules.ts'
import { deferredBehind, jobBehind, nextPassed } from './detached.ts'
import type { Turn } from './running-job.ts'
import { type PlannedStep, planDeferred, planPassed, planStep } from './step-rules.ts'

/** Of the entries of a step, as they are stored: what the database does with them takes a multiple of it. */
const STEP_BYTES_MAX = 500_000
/** So many entries of a job may be deferred at the same time: they stand in its row. More than all steps under way may defer. */
const DEFERRED_ENTRIES_MAX = 800

/** What comes next: what was deferred or passed and is due, else what is at the cursor; or for how many ms there is nothing. */
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
  const room = hasRoom(turn)
  const passed = isEnding || !room ? undefined : nextPassed(turn)
  if (passed) return planPassed(engine.kinds, job, await chunkAt(turn, passed.from), passed, limits)
  const nextAt = nextTryAt(deferred, isEnding ? [] : passedOf(job))
  if (nextAt !== undefined && job.cursor === job.total) return nextAt - now
  // Each takes its place in the row of the job, so there is an end to what can be deferred.
  if (soonest && !room && !isEnding) return soonest.at - now
  const entries = isEnding ? Math.min(job.dispatched, entriesMax) : entriesMax
  const chunk = await chunkAt(turn, job.cursor)
  turn.chunk = chunk
  return planStep(engine.kinds, job, chunk, { ...limits, entries })
}

export const hasRoom = (turn: Turn): boolean => deferredBehind(turn).length < DEFERRED_ENTRIES_MAX

/**
 * Whether the entries of a step may be deferred because others remain. What is known to be stopped is none of them, until it
 * is to be looked at again.
 */
export function mayDefer(turn: Turn, { source, key, next, entries }: PlannedStep): boolean {
  const job = jobBehind(turn)
  if ((source === 'cursor' ? next : job.cursor) < job.total) return true
  const now = Date.now()
  const isOpen = ({ at, isStopped }: Pick<DeferredEntry, 'at' | 'isStopped'>) => !isStopped || at <= now
  const own = new Set(entries.map(({ index }) => index))
  return (
    deferredBehind(turn).some(each => !own.has(each.index) && isOpen(each)) ||
    passedOf(job).some(each => each.key !== key && isOpen(each))
  )
}

async function chunkAt(turn: Turn, index: number): Promise<Chunk> {
  const { chunk, team, job, engine, cost } = turn
  if (chunk && chunk.first <= index && index < endOfChunk(chunk)) return chunk
  const [[row]] = await engine.openDb(cost).read(selectChunkAt(team.no, job.no, index))
  if (!row) throw new Error(`job ${job.id} has no entry ${index}`)
  return decodeChunk(row)
}
