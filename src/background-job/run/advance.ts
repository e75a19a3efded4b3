import type { Outcome } from '../entry.ts'
import { type Decision, type EntryKind, type EntryKinds, kindOf, type StepEntry } from '../kind.ts'
import { type Deferred, deferredOf, type JobRow } from '../rules.ts'
import type { Position } from './position.ts'

const procedureOf = (job: JobRow, apiData: Record<string, unknown>): string =>
  job.procedure ?? (typeof apiData.procedureId === 'string' ? apiData.procedureId : '')

/** The next entries that can be run together; and those between them that were invalid from the start. */
export interface Planned {
  procedure: string
  entries: StepEntry[]
  /** How far the job comes with them. Entries that had been put off are behind the cursor already. */
  cursor: number
}

/** Goes on from the cursor as long as the kind and the procedure stay the same, and the chunk lasts. */
export function planStep(kinds: EntryKinds, { job, chunk }: Position, entriesMax: number): Planned {
  const indexes = Array.from({ length: chunk.first + chunk.count - job.cursor }, (_, nth) => job.cursor + nth)
  const planned = together(kinds, { job, chunk }, indexes, entriesMax)
  return { ...planned, cursor: planned.next ?? chunk.first + chunk.count }
}

/** The same of entries that were put off, as far as they are of this chunk. */
export function planDeferred(
  kinds: EntryKinds,
  { job, chunk }: Position,
  due: readonly Deferred[],
  entriesMax: number,
): Planned {
  const indexes = due
    .map(({ index }) => index)
    .filter(index => chunk.first <= index && index < chunk.first + chunk.count)
  return { ...together(kinds, { job, chunk }, indexes, entriesMax), cursor: job.cursor }
}

/** The first of these entries that can be run together, and which is the first that can't. */
function together(kinds: EntryKinds, { job, chunk }: Position, indexes: readonly number[], entriesMax: number) {
  const entries: StepEntry[] = []
  let kind: EntryKind | undefined
  let procedure = ''
  for (const index of indexes) {
    const entry = chunk.entries[index - chunk.first]
    if (!entry || entry.invalid) continue
    const [its, itsProcedure] = [kindOf(kinds, entry.apiType), procedureOf(job, entry.apiData)]
    if (entries.length === 0) {
      kind = its
      procedure = itsProcedure
    } else if (its?.run !== kind?.run || itsProcedure !== procedure) return { procedure, entries, next: index }
    if (entries.length >= Math.min(entriesMax, kind?.stepEntriesMax ?? entriesMax))
      return { procedure, entries, next: index }
    entries.push({ ...entry, index })
  }
  return { procedure, entries }
}

/** The position after the entries that have been looked at: every count follows from the outcomes, and from nothing else. */
export function advance(
  { job, chunk }: Position,
  planned: Planned,
  decided: Decision['outcomes'],
  now: number,
): Position {
  if (decided.length > planned.entries.length) throw new Error('each entry of a step has one outcome at most')
  const entries = planned.entries.slice(0, decided.length)
  const isDeferred = planned.cursor === job.cursor
  const cursor = isDeferred ? job.cursor : (planned.entries[decided.length]?.index ?? planned.cursor)
  const outcomes = [...chunk.outcomes, ...Array.from({ length: cursor - job.cursor }, () => null)]
  const putOff = deferredOf(job).filter(({ index }) => !entries.some(entry => entry.index === index))
  for (const [nth, { index }] of entries.entries()) {
    const outcome = decided[nth]
    if (outcome?.status === 'DEFERRED') putOff.push({ index, at: outcome.at })
    else outcomes[index - chunk.first] = outcome ?? null
  }
  const added = (status: Outcome['status']) => decided.filter(each => each?.status === status).length
  const [invalid, success, error] = [added('INVALID'), added('SUCCESS'), added('ERROR')]
  return {
    job: {
      ...job,
      step: job.step + 1,
      cursor,
      deferred: JSON.stringify(putOff.sort((one, other) => one.at - other.at)),
      invalid: job.invalid + invalid,
      success: job.success + success,
      error: job.error + error,
      updatedAt: now,
    },
    chunk: {
      ...chunk,
      invalid: chunk.invalid + invalid,
      success: chunk.success + success,
      error: chunk.error + error,
      updatedAt: now,
      outcomes,
    },
  }
}
