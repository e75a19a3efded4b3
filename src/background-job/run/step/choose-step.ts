import { type Chunk, decodeChunk, endOfChunk } from '../../chunk.ts'
import { selectChunkAt } from '../../chunk-rows.ts'
import { isCancelled } from '../../rules.ts'
import { listSkipped, nextTryAt, type UnfinishedEntries } from '../../unfinished.ts'
import { nextSkipped, outstandingBehind } from './detached.ts'
import type { Turn } from './running-job.ts'
import { type PlannedStep, planOutstanding, planSkipped, planStep } from './step-rules.ts'

/** Of the entries of a step, as they are stored: what the database does with them takes a multiple of it. */
const STEP_BYTES_MAX = 500_000
/** So many entries of a job may be delayed at the same time: they stand in its row. More than all steps in flight may delay. */
const DELAYED_ENTRIES_MAX = 800

/** What comes next: what is outstanding or was skipped and is due, else what is at the cursor; or for how many ms there is nothing. */
export async function chooseStep(turn: Turn, entriesMax: number): Promise<PlannedStep | number> {
  const { engine, job } = turn
  const isEnding = isCancelled(job)
  const now = Date.now()
  const outstanding = outstandingBehind(turn)
  const [soonest] = outstanding
  const limits = { entries: entriesMax, bytes: STEP_BYTES_MAX }
  // A cancelled job waits for no time.
  if (soonest && (isEnding || soonest.at <= now)) {
    const due = outstanding.filter(({ at }) => at <= now || isEnding)
    return planOutstanding(engine.kinds, job, await chunkAt(turn, soonest.index), due, limits)
  }
  if (isEnding) return 0
  const room = hasRoom(turn)
  const skipped = room ? nextSkipped(turn) : undefined
  if (skipped) return planSkipped(engine.kinds, job, await chunkAt(turn, skipped.from), skipped, limits)
  const nextAt = nextTryAt([...outstanding, ...listSkipped(job)])
  if (nextAt !== undefined && job.cursor === job.total) return nextAt - now
  // Each takes its place in the row of the job, so there is an end to what can be delayed.
  if (soonest && !room) return soonest.at - now
  const chunk = await chunkAt(turn, job.cursor)
  turn.chunk = chunk
  return planStep(engine.kinds, job, chunk, limits)
}

export const hasRoom = (turn: Turn): boolean => outstandingBehind(turn).length < DELAYED_ENTRIES_MAX

/**
 * Whether the entries of a step may be delayed because others remain. What is known to be stopped is none of them, until it
 * is to be looked at again.
 */
export function mayDefer(turn: Turn, { source, key, next, entries }: PlannedStep): boolean {
  const { job } = turn
  if ((source === 'cursor' ? next : job.cursor) < job.total) return true
  const now = Date.now()
  const isOpen = ({ at, isStopped }: Pick<UnfinishedEntries, 'at' | 'isStopped'>) => !isStopped || at <= now
  const own = new Set(entries.map(({ index }) => index))
  return (
    outstandingBehind(turn).some(each => !own.has(each.index) && isOpen(each)) ||
    listSkipped(job).some(each => each.waitsFor !== key && isOpen(each))
  )
}

async function chunkAt(turn: Turn, index: number): Promise<Chunk> {
  const { chunk, team, job, engine, cost } = turn
  if (chunk && chunk.first <= index && index < endOfChunk(chunk)) return chunk
  const [[row]] = await engine.openDb(cost).read(selectChunkAt(team.no, job.no, index))
  if (!row) throw new Error(`job ${job.id} has no entry ${index}`)
  return decodeChunk(row)
}
