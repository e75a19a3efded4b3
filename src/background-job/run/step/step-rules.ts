import { utf8Bytes } from '../../../bytes.ts'
import { type Chunk, countEnded, type EndedEntry, encodeEntry, endOfChunk } from '../../chunk.ts'
import { type Decision, type EntryKind, type EntryKinds, kindOf, type StepEntry } from '../../kind.ts'
import { type DeferredEntry, deferredOf, type JobRow } from '../../rules.ts'

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
  /** Where the cursor is after them. Deferred entries are behind the cursor already. */
  cursor: number
  isDeferred: boolean
}

/** Goes on from the cursor as long as the kind and the procedure stay the same, and the chunk lasts. */
export function planStep(kinds: EntryKinds, job: JobRow, chunk: Chunk, limits: StepLimits): PlannedStep {
  const end = endOfChunk(chunk)
  const indexes = Array.from({ length: end - job.cursor }, (_, nth) => job.cursor + nth)
  const { next, ...together } = takeTogether(kinds, job, chunk, indexes, limits)
  return { ...together, chunk, cursor: next ?? end, isDeferred: false }
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
  return { procedure, entries, chunk, cursor: job.cursor, isDeferred: true }
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

/** What a step changes in its job. */
export interface StepChange {
  cursor: number
  /** `deferred` of the job, as it is stored. */
  deferred: string
  ended: EndedEntry[]
  added: { invalid: number; success: number; error: number }
  dispatched: number
  inProgressTo: number
  /** Of the entries from the new cursor to the end of its chunk, if the chunk goes on. */
  runnable: number
}

/** Every count follows from the outcomes, and from nothing else. */
export function changeOf(job: JobRow, plan: PlannedStep, outcomes: Decision['outcomes']): StepChange {
  if (outcomes.length > plan.entries.length) throw new Error('each entry of a step has one outcome at most')
  const decided = plan.entries.slice(0, outcomes.length)
  const cursor = plan.isDeferred ? job.cursor : (plan.entries[outcomes.length]?.index ?? plan.cursor)
  const isDecided = new Set(decided.map(({ index }) => index))
  const deferred = deferredOf(job).filter(({ index }) => !isDecided.has(index))
  const ended: EndedEntry[] = []
  for (const [nth, { index }] of decided.entries()) {
    const outcome = outcomes[nth]
    if (outcome?.status === 'DEFERRED') deferred.push({ index, at: outcome.at })
    else if (outcome) ended.push({ index, outcome })
  }
  // What was dispatched and has no outcome yet stays dispatched, whatever this step was able to look at.
  const dispatched = plan.isDeferred ? job.dispatched : Math.max(0, job.dispatched - outcomes.length)
  return {
    cursor,
    deferred: JSON.stringify(deferred.sort((one, other) => one.at - other.at)),
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
