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
import { type DeferredEntry, deferredOf, type JobRow, type PassedEntries, passedOf } from '../../rules.ts'
import { keyOf, leaveBehind } from './passed.ts'

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
  /** What they wait for, if they were passed. */
  key?: string
  /** Where the cursor is after them; or where those that were passed go on. */
  next: number
  /** Those that stand among the deferred entries since they were dispatched; the others of the step were passed then. */
  setAside?: ReadonlySet<number>
}

/**
 * Goes on from the cursor as long as the kind and the procedure stay the same, and the chunk lasts. What waits for the
 * same as entries that were passed is passed.
 */
export function planStep(kinds: EntryKinds, job: JobRow, chunk: Chunk, limits: StepLimits): PlannedStep {
  const end = endOfChunk(chunk)
  const passed = new Set(passedOf(job).map(({ key }) => key))
  const indexes = indexesOf(job.cursor, end).filter(
    index => passed.size === 0 || !passed.has(keyAt(kinds, chunk, index) ?? ''),
  )
  const { next, ...together } = takeTogether(kinds, job, chunk, indexes, limits)
  return { ...together, chunk, source: 'cursor', next: next ?? end }
}

/** The same of entries that were passed. */
export function planPassed(
  kinds: EntryKinds,
  job: JobRow,
  chunk: Chunk,
  { key, from, to }: PassedEntries,
  limits: StepLimits,
): PlannedStep {
  const end = Math.min(endOfChunk(chunk), to)
  const indexes = indexesOf(from, end).filter(index => keyAt(kinds, chunk, index) === key)
  const { next, ...together } = takeTogether(kinds, job, chunk, indexes, limits)
  return { ...together, chunk, source: 'passed', key, next: next ?? end }
}

const indexesOf = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, nth) => from + nth)

function keyAt(kinds: EntryKinds, chunk: Chunk, index: number): string | undefined {
  const entry = chunk.entries[index - chunk.first]
  return entry && keyOf(kinds, entry)
}

/** The same of deferred entries that are due, as far as they are of this chunk. */
export function planDeferred(
  kinds: EntryKinds,
  job: JobRow,
  chunk: Chunk,
  due: readonly DeferredEntry[],
  limits: StepLimits,
): PlannedStep {
  const indexes = due.map(({ index }) => index).filter(index => chunk.first <= index && index < endOfChunk(chunk))
  const { procedure, entries } = takeTogether(kinds, job, chunk, indexes, limits)
  return { procedure, entries, chunk, source: 'deferred', next: job.cursor }
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

const deferredAs = (index: number, { at, isStopped }: Deferral): DeferredEntry => ({
  index,
  at,
  ...(isStopped ? { isStopped } : {}),
})

const dispatchedAfter = (job: JobRow, outcomes: Decision['outcomes']): number =>
  Math.max(0, job.dispatched - outcomes.length)

/** Whether the cursor is still before the entries of a step, until it is committed. */
export const isAtCursor = ({ source, setAside }: PlannedStep): boolean => source === 'cursor' && setAside === undefined

/**
 * What dispatching entries changes in a job that has passed others: from then on they stand among the deferred ones, which
 * a runner after this one looks at one by one, and the job goes on behind them.
 */
export function setAsideOf(
  kinds: EntryKinds,
  job: JobRow,
  plan: PlannedStep,
  { outcomes, now }: { outcomes: Decision['outcomes']; now: number },
) {
  const { cursor, passed, kept } = leaveBehind(kinds, job, plan, outcomes)
  const deferred = [...deferredOf(job), ...[...kept].map(index => ({ index, at: now }))]
  const dispatched = plan.source === 'cursor' ? dispatchedAfter(job, outcomes) : job.dispatched
  return {
    kept,
    change: {
      cursor,
      deferred: JSON.stringify(deferred.sort((one, other) => one.at - other.at)),
      passed: JSON.stringify(passed),
    },
    dispatched: { dispatched, inProgressTo: dispatched > 0 ? job.inProgressTo : 0 },
  }
}

/** What a step changes in its job. */
export interface StepChange {
  cursor: number
  /** `deferred` of the job, as it is stored. */
  deferred: string
  /** `passed` of the job, as it is stored. */
  passed: string
  ended: EndedEntry[]
  added: { invalid: number; success: number; error: number }
  dispatched: number
  inProgressTo: number
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
  const { setAside } = plan
  const left = setAside
    ? { cursor: job.cursor, passed: passedOf(job), kept: setAside }
    : leaveBehind(kinds, job, plan, outcomes)
  const { cursor, kept } = left
  const deferred = deferredOf(job).filter(({ index }) => !kept.has(index))
  const ended: EndedEntry[] = []
  for (const [nth, outcome] of outcomes.entries()) {
    const index = plan.entries[nth]?.index ?? -1
    if (!kept.has(index) || !outcome) continue
    if (outcome.status === 'DEFERRED') deferred.push(deferredAs(index, outcome))
    else ended.push({ index, outcome })
  }
  // What was dispatched and has no outcome yet stays dispatched, whatever this step was able to look at.
  const dispatched = isAtCursor(plan) ? dispatchedAfter(job, outcomes) : job.dispatched
  return {
    cursor,
    deferred: JSON.stringify(deferred.sort((one, other) => one.at - other.at)),
    passed: JSON.stringify(left.passed),
    ended,
    added: countEnded(ended),
    dispatched,
    inProgressTo: dispatched > 0 ? job.inProgressTo : 0,
    runnable:
      cursor >= endOfChunk(plan.chunk)
        ? 0
        : plan.chunk.entries.filter((entry, offset) => !entry.invalid && plan.chunk.first + offset >= cursor).length,
  }
}
