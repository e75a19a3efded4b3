import { utf8Bytes } from '../../../bytes.ts'
import { type Chunk, countEnded, type EndedEntry, encodeEntry, endOfChunk } from '../../chunk.ts'
import {
  type Decision,
  type Deferral,
  type EntryKind,
  type EntryKinds,
  kindOf,
  type Step,
  type StepEntry,
} from '../../kind.ts'
import type { JobRow } from '../../rules.ts'
import {
  encodeUnfinished,
  listOutstanding,
  listSkipped,
  type OutstandingEntry,
  type SkippedEntries,
} from '../../unfinished.ts'
import { keyOf, leaveBehind } from './skipped.ts'

/** What a step may hold. */
export interface StepLimits {
  entries: number
  bytes: number
}

/** The next entries that can be run together. */
export interface PlannedStep {
  chunk: Chunk
  procedure: string
  entries: StepEntry[]
  source: Step['source']
  /** What they wait for, if they were skipped. */
  key?: string
  /** Where the cursor is after them; or where those that were skipped go on. */
  next: number
  /** Those that are in flight by now; the others of the step were skipped then. */
  inFlight?: ReadonlySet<number>
}

/**
 * Goes on from the cursor as long as the kind and the procedure stay the same, and the chunk lasts. What waits for the
 * same as entries that were skipped is skipped.
 */
export function planStep(kinds: EntryKinds, job: JobRow, chunk: Chunk, limits: StepLimits): PlannedStep {
  const end = endOfChunk(chunk)
  const skipped = new Set(listSkipped(job).map(({ waitsFor }) => waitsFor))
  const indexes = indexesOf(job.cursor, end).filter(
    index => skipped.size === 0 || !skipped.has(keyAt(kinds, chunk, index) ?? ''),
  )
  const { next, ...together } = takeTogether(kinds, job, chunk, indexes, limits)
  return { ...together, chunk, source: 'cursor', next: next ?? end }
}

/** The same of entries that were skipped. */
export function planSkipped(
  kinds: EntryKinds,
  job: JobRow,
  chunk: Chunk,
  { waitsFor: key, from, to }: SkippedEntries,
  limits: StepLimits,
): PlannedStep {
  const end = Math.min(endOfChunk(chunk), to)
  const indexes = indexesOf(from, end).filter(index => keyAt(kinds, chunk, index) === key)
  const { next, ...together } = takeTogether(kinds, job, chunk, indexes, limits)
  return { ...together, chunk, source: 'skipped', key, next: next ?? end }
}

const indexesOf = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, nth) => from + nth)

function keyAt(kinds: EntryKinds, chunk: Chunk, index: number): string | undefined {
  const entry = chunk.entries[index - chunk.first]
  return entry && keyOf(kinds, entry)
}

/** The same of outstanding entries that are due, as far as they are of this chunk. */
export function planOutstanding(
  kinds: EntryKinds,
  job: JobRow,
  chunk: Chunk,
  due: readonly OutstandingEntry[],
  limits: StepLimits,
): PlannedStep {
  const indexes = due.map(({ index }) => index).filter(index => chunk.first <= index && index < endOfChunk(chunk))
  const { procedure, entries } = takeTogether(kinds, job, chunk, indexes, limits)
  return { procedure, entries, chunk, source: 'outstanding', next: job.cursor }
}

const procedureOf = (job: JobRow, apiData: Record<string, unknown>): string =>
  job.procedure ?? (typeof apiData.procedureId === 'string' ? apiData.procedureId : '')

/** The first of these entries that can be run together, and which is the first that can't. */
function takeTogether(
  kinds: EntryKinds,
  job: JobRow,
  chunk: Chunk,
  indexes: readonly number[],
  limits: StepLimits,
): { procedure: string; entries: StepEntry[]; next?: number } {
  const entries: StepEntry[] = []
  let kind: EntryKind | undefined
  let procedure = ''
  let bytes = 0
  const allFit = chunk.bytes <= limits.bytes
  for (let nth = 0; nth < indexes.length; nth++) {
    const index = indexes[nth] as number
    const entry = chunk.entries[index - chunk.first]
    if (!entry || entry.invalid) continue
    const [itsKind, itsProcedure] = [kindOf(kinds, entry.apiType), procedureOf(job, entry.apiData)]
    if (entries.length === 0) {
      kind = itsKind
      procedure = itsProcedure
    } else if (itsKind?.run !== kind?.run || itsProcedure !== procedure) return { procedure, entries, next: index }
    bytes += allFit ? 0 : utf8Bytes(encodeEntry(entry))
    const isFull = entries.length >= Math.min(limits.entries, kind?.stepEntriesMax ?? limits.entries)
    if (isFull || (entries.length > 0 && bytes > limits.bytes)) return { procedure, entries, next: index }
    entries.push({ apiType: entry.apiType, apiData: entry.apiData, index })
  }
  return { procedure, entries }
}

const delayedEntry = (index: number, { at, isStopped }: Deferral): OutstandingEntry => ({
  ...{ mode: 'delayed', index, at },
  ...(isStopped ? { isStopped } : {}),
})

const withoutThese = (job: JobRow, entries: ReadonlySet<number>): OutstandingEntry[] =>
  listOutstanding(job).filter(({ index }) => !entries.has(index))

/** What changes in a job when the entries of a step are in flight: it goes on behind them, whatever becomes of them. */
export function takeFlight(
  kinds: EntryKinds,
  job: JobRow,
  plan: PlannedStep,
  { outcomes, now }: { outcomes: Decision['outcomes']; now: number },
) {
  const { cursor, skipped, kept } = leaveBehind(kinds, job, plan, outcomes)
  const inFlight = [...kept].map((index): OutstandingEntry => ({ mode: 'inFlight', index, at: now }))
  return { kept, change: { cursor, ...encodeUnfinished([...withoutThese(job, kept), ...inFlight], skipped) } }
}

/** What a step changes in its job. */
export interface StepChange extends Pick<JobRow, 'cursor' | 'unfinished' | 'outstanding'> {
  ended: EndedEntry[]
  added: { invalid: number; success: number; error: number }
  /** Of the entries from the new cursor to the end of its chunk, if the chunk goes on. */
  runnable: number
}

/** Every count follows from the outcomes, and from nothing else. */
export function changeOf(
  kinds: EntryKinds,
  job: JobRow,
  plan: PlannedStep,
  outcomes: Decision['outcomes'],
): StepChange {
  if (outcomes.length > plan.entries.length) throw new Error('each entry of a step has one outcome at most')
  const { cursor, skipped, kept } = plan.inFlight
    ? { cursor: job.cursor, skipped: listSkipped(job), kept: plan.inFlight }
    : leaveBehind(kinds, job, plan, outcomes)
  const outstanding = withoutThese(job, kept)
  const ended: EndedEntry[] = []
  for (const [nth, outcome] of outcomes.entries()) {
    const index = plan.entries[nth]?.index ?? -1
    if (!kept.has(index) || !outcome) continue
    if (outcome.status === 'DEFERRED') outstanding.push(delayedEntry(index, outcome))
    else ended.push({ index, outcome })
  }
  return {
    cursor,
    ...encodeUnfinished(outstanding, skipped),
    ended,
    added: countEnded(ended),
    runnable:
      cursor >= endOfChunk(plan.chunk)
        ? 0
        : plan.chunk.entries.filter((entry, offset) => !entry.invalid && plan.chunk.first + offset >= cursor).length,
  }
}
