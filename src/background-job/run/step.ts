import { countUtf8Bytes } from '../../bytes.ts'
import { AppError } from '../../errors.ts'
import { type Chunk, encodeEntry } from '../chunk.ts'
import { toOutcome } from '../entry.ts'
import { type EntryKinds, type EntryRunner, getEntryRunner, type Step, type StepEntry } from '../kind.ts'
import { toLogFields } from '../queue.ts'
import type { JobRow } from '../rules.ts'
import { isPermanent, toFailureReason } from './failure.ts'
import type { JobSlice } from './slice.ts'

/** The most bytes of the entries of a step, as they are stored: what the database does with them takes a multiple of it. */
export const STEP_BYTES_MAX = 500_000

/** The next entries that can be run together, all of one chunk. */
export interface PlannedStep {
  chunk: Chunk
  procedure: string
  entries: StepEntry[]
  /** The first entry that could not be added to them. */
  next: number
}

/** Takes the first of these entries of a chunk, as long as kind and procedure stay the same; `end` is behind the last one. */
export function planStep(
  kinds: EntryKinds,
  job: JobRow,
  chunk: Chunk,
  { indexes, end, entriesMax }: { indexes: Iterable<number>; end: number; entriesMax: number },
): PlannedStep {
  const entries: StepEntry[] = []
  let runner: EntryRunner | undefined
  let procedure = ''
  let bytes = 0
  const allFit = chunk.bytes <= STEP_BYTES_MAX
  for (const index of indexes) {
    const entry = chunk.entries[index - chunk.first]
    if (!entry || entry.invalid) continue
    const [itsRunner, itsProcedure] = [getEntryRunner(kinds, job, entry), getProcedure(job, entry.apiData)]
    if (entries.length === 0) {
      runner = itsRunner
      procedure = itsProcedure
    } else if (!canShare(runner, itsRunner) || itsProcedure !== procedure)
      return { chunk, procedure, entries, next: index }
    bytes += allFit ? 0 : countUtf8Bytes(encodeEntry(entry))
    const isFull = entries.length >= Math.min(entriesMax, runner?.stepEntriesMax ?? entriesMax)
    if (isFull || (entries.length > 0 && bytes > STEP_BYTES_MAX)) return { chunk, procedure, entries, next: index }
    entries.push({ apiType: entry.apiType, apiData: entry.apiData, index })
  }
  return { chunk, procedure, entries, next: end }
}

const canShare = (one: EntryRunner | undefined, other: EntryRunner | undefined): boolean =>
  one === other || (one?.run !== undefined && one.run === other?.run)

const getProcedure = (job: JobRow, apiData: Record<string, unknown>): string =>
  job.procedure ?? (typeof apiData.procedureId === 'string' ? apiData.procedureId : '')

const UNKNOWN_KIND = toOutcome(new AppError('invalid_request', 'entries of this kind cannot be processed'))

/**
 * Runs the entries of a step. What fails for a lasting reason is tried with fewer entries, down to the one that is in the
 * way, which ends. Other errors are thrown: the queue message comes back, and finds the job where it is by then.
 */
export async function runEntries(
  slice: JobSlice,
  { procedure, entries }: PlannedStep,
  {
    commit,
    tryFewer,
    send,
  }: {
    commit: Step['commit']
    tryFewer: (entriesMax: number) => Promise<void>
    /** Runs entries whose kind has no `run`. */
    send?: () => Promise<void>
  },
): Promise<void> {
  const runner = entries[0] && getEntryRunner(slice.engine.kinds, slice.job, entries[0])
  try {
    if (runner?.run) await runner.run({ scope: slice.scope(), procedure, entries, commit })
    else if (runner && send) await send()
    else await commit({ outcomes: entries.map(() => UNKNOWN_KIND), statements: [] })
  } catch (error) {
    if (error instanceof AppError) return commit({ outcomes: entries.map(() => toOutcome(error)), statements: [] })
    if (!runner || !isPermanent(error, runner)) throw error
    if (entries.length > 1) return tryFewer(Math.ceil(entries.length / 4))
    console.error(
      JSON.stringify({ ...toLogFields(slice.team, slice.job), entry: entries[0]?.index, cause: String(error) }),
    )
    await commit({ outcomes: [toOutcome(toFailureReason(error, runner))], statements: [] })
  }
}
