import { type Chunk, type CompletedEntry, getChunkEnd } from '../../background-job/chunk.ts'
import type { EntryKinds } from '../../background-job/kind.ts'
import type { JobRow } from '../../background-job/rules.ts'
import { planStep } from '../../background-job/run/step.ts'
import {
  encodeUnfinished,
  listOutstanding,
  listSkipped,
  type OutstandingEntry,
  type SkippedEntries,
} from '../../background-job/unfinished.ts'
import { type Batch, type EntryDecision, getNumber } from './batch.ts'

/** The numbers that a job skips at the same time. They are stored in its row, so they are bounded. */
const SKIPPED_NUMBERS_MAX = 100

interface BatchContext {
  kinds: EntryKinds
  job: JobRow
  chunk: Chunk
  entriesMax: number
}

/** Plans the next entries from the cursor on. Entries whose number was skipped are skipped, too. */
export function planAtCursor({ kinds, job, chunk, entriesMax }: BatchContext): Batch {
  const end = getChunkEnd(chunk)
  const skipped = new Set(listSkipped(job).map(({ waitsFor }) => waitsFor))
  const indexes = listIndexes(job.cursor, end).filter(
    index => skipped.size === 0 || !skipped.has(numberAt(chunk, index) ?? ''),
  )
  return { ...planStep(kinds, job, chunk, { indexes, end, entriesMax }), source: 'cursor' }
}

/** Plans the next of the entries that were skipped. */
export function planSkipped(
  { kinds, job, chunk, entriesMax }: BatchContext,
  { waitsFor: number, from, to }: SkippedEntries,
): Batch {
  const end = Math.min(getChunkEnd(chunk), to)
  const indexes = listIndexes(from, end).filter(index => numberAt(chunk, index) === number)
  return { ...planStep(kinds, job, chunk, { indexes, end, entriesMax }), source: 'skipped', number }
}

/** The outstanding entries that are due, as far as they are of this chunk. */
export function planOutstanding(
  { kinds, job, chunk, entriesMax }: BatchContext,
  due: readonly OutstandingEntry[],
): Batch {
  const indexes = due.map(({ index }) => index).filter(index => chunk.first <= index && index < getChunkEnd(chunk))
  const plan = planStep(kinds, job, chunk, { indexes, end: job.cursor, entriesMax })
  return { ...plan, next: job.cursor, source: 'outstanding' }
}

const listIndexes = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, nth) => from + nth)

function numberAt(chunk: Chunk, index: number): string | undefined {
  const entry = chunk.entries[index - chunk.first]
  return entry && getNumber(entry)
}

/** Where a job goes on after a batch. */
interface JobPosition {
  cursor: number
  skipped: SkippedEntries[]
  /** The entries of the batch that were not skipped. */
  kept: ReadonlySet<number>
}

function advanceJob(job: JobRow, batch: Batch, decisions: readonly EntryDecision[]): JobPosition {
  if (batch.source === 'cursor') return advanceCursor(job, batch, decisions)
  const first = batch.source === 'skipped' ? decisions.findIndex(({ mode }) => mode === 'skipped') : -1
  const count = first < 0 ? decisions.length : first
  const kept = new Set(batch.entries.slice(0, count).map(({ index }) => index))
  const goesOn = batch.source === 'skipped' && (decisions.length > 0 || batch.entries.length === 0)
  const skipped = listSkipped(job)
  return {
    cursor: job.cursor,
    skipped: goesOn ? advanceSkipped(skipped, batch, count, decisions[first]) : skipped,
    kept,
  }
}

/** Advances over skipped entries that have been run; those behind them may have to wait again. */
function advanceSkipped(
  skipped: SkippedEntries[],
  { number, entries, next }: Batch,
  count: number,
  decision: EntryDecision | undefined,
): SkippedEntries[] {
  const from = entries[count]?.index ?? next
  return skipped
    .map(each => {
      if (each.waitsFor !== number) return each
      const { isStopped: _, ...rest } = each
      return { ...rest, from, ...(decision?.mode === 'skipped' ? getTime(decision) : {}) }
    })
    .filter(each => each.from < each.to)
}

const getTime = ({ at, isStopped }: { at: number; isStopped?: true }) => ({ at, ...(isStopped ? { isStopped } : {}) })

/**
 * An entry is skipped if its number is, whatever was decided of it: so none behind the first one is run out of its order,
 * and none twice.
 */
function advanceCursor(job: JobRow, { chunk, entries, next }: Batch, decisions: readonly EntryDecision[]): JobPosition {
  const cursor = entries[decisions.length]?.index ?? next
  const skipped = new Map(listSkipped(job).map(each => [each.waitsFor, each]))
  const kept = new Set<number>()
  for (const [place, decision] of decisions.entries()) {
    const entry = entries[place]
    if (!entry) throw new Error('each entry of a batch has one decision at most')
    const { index } = entry
    const waitsFor = getNumber(entry)
    if (waitsFor !== undefined && skipped.has(waitsFor)) continue
    if (waitsFor === undefined || decision.mode !== 'skipped' || skipped.size >= SKIPPED_NUMBERS_MAX) kept.add(index)
    else skipped.set(waitsFor, { mode: 'skipped', waitsFor, from: index, to: index + 1, ...getTime(decision) })
  }
  if (skipped.size === 0) return { cursor, skipped: [], kept }
  for (let index = job.cursor; index < cursor; index++) {
    const entry = chunk.entries[index - chunk.first]
    const waiting = entry && !entry.invalid ? skipped.get(getNumber(entry) ?? '') : undefined
    if (waiting && index >= waiting.from) waiting.to = index + 1
  }
  return { cursor, skipped: [...skipped.values()], kept }
}

type StepPosition = Pick<JobRow, 'cursor' | 'unfinished' | 'outstanding'>

const listOthers = (job: JobRow, entries: ReadonlySet<number>): OutstandingEntry[] =>
  listOutstanding(job).filter(({ index }) => !entries.has(index))

/** What changes in a job when the entries of a batch are in flight: it goes on behind them, whatever becomes of them. */
export function toFlight(
  job: JobRow,
  batch: Batch,
  { decisions, now }: { decisions: readonly EntryDecision[]; now: number },
): StepPosition & { kept: ReadonlySet<number> } {
  const { cursor, skipped, kept } = advanceJob(job, batch, decisions)
  const inFlight = [...kept].map((index): OutstandingEntry => ({ mode: 'inFlight', index, at: now }))
  return { kept, cursor, ...encodeUnfinished([...listOthers(job, kept), ...inFlight], skipped) }
}

/** What changes in a job when a batch is committed. Every count follows from the decisions, and from nothing else. */
export function toChange(
  job: JobRow,
  batch: Batch,
  decisions: readonly EntryDecision[],
): StepPosition & { ended: CompletedEntry[] } {
  if (decisions.length > batch.entries.length) throw new Error('each entry of a batch has one decision at most')
  const { cursor, skipped, kept } = batch.inFlight
    ? { cursor: job.cursor, skipped: listSkipped(job), kept: batch.inFlight }
    : advanceJob(job, batch, decisions)
  const outstanding = listOthers(job, kept)
  const ended: CompletedEntry[] = []
  for (const [nth, decision] of decisions.entries()) {
    const index = batch.entries[nth]?.index ?? -1
    if (!kept.has(index)) continue
    if (decision.mode === 'ended') ended.push({ index, outcome: decision.outcome })
    else if (decision.mode === 'delayed' || decision.mode === 'skipped')
      outstanding.push({ mode: 'delayed', index, ...getTime(decision) })
  }
  return { cursor, ...encodeUnfinished(outstanding, skipped), ended }
}
