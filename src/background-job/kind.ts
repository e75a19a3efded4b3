import type * as z from 'zod'
import type { Statement } from '../db/statement.ts'
import { AppError } from '../errors.ts'
import type { Warning } from '../http/response/warnings.ts'
import type { Permission } from '../permissions.ts'
import type { Scope } from '../scope.ts'
import { createErasedOutcome, type Entry, isErased, type Outcome, toOutcome } from './entry.ts'
import type { JobWithRetries } from './job-rows.ts'
import { getPlannedFailure } from './planned-changes.ts'
import type { JobQueue, JobRow } from './rules.ts'
import type { JobRunner } from './run/slice.ts'
import type { SenderColumn } from './sender-columns.ts'

/** A correction that was validated: what to warn of, and the columns that results have of it. */
export interface ValidCorrection {
  /** The primary key that it sets, if it does: that is a correction of one entry alone. */
  key: string | null
  warnings: readonly Warning[]
  columns: readonly SenderColumn[]
}

/** What a kind of entry implements. The kinds are registered in `src/kinds.ts`; the engine knows none of them. */
export interface EntryKind {
  /** What it does, before a number of processes: "Delete". */
  verb: string
  permission: Permission
  /** `apiData` of an entry that is scheduled by hand. Absent: none can be. */
  schema?: z.ZodType
  /**
   * Decides the outcomes of the entries of a step, and commits them once. Kinds with the same `run` share steps. Absent:
   * the runner of the kind's queue sees to its entries.
   */
  run?: (step: Step) => Promise<void>
  /** The same in a dry run: it says what each entry would do, and writes nothing but that. Absent: the kind has no dry run. */
  preview?: (step: Step) => Promise<void>
  /** Another write conflicts: the step is split into smaller ones; an entry that conflicts alone ends as a conflict. */
  isConflict: (error: unknown) => boolean
  /** The definition that the decision relied on was replaced: the whole step is run again later. */
  isStale?: (error: unknown) => boolean
  /** Finds what a `where` stands for: of a kind whose jobs can be accepted before all their entries are known. */
  find?: (search: Search) => Promise<MatchedNames>
  /** Where the effects are outside of the database, a step should be small. */
  stepEntriesMax?: number
  /** A queue of its own: a job with such an entry goes there. */
  queue?: QueueOfKind
  /** Effects outside of the database can't be undone: a retry names the entry that it repeats. */
  retriesByName?: true
  /** It looks what became of an entry before that was emptied by an erasure; the other kinds never see such an entry. */
  runsErased?: true
  /** Members of an emptied entry that stay, because they tell nothing of anybody. */
  keptMembers?: readonly string[]
  /**
   * What is left of an entry about a process without the values of some attributes; null: nothing that could be run. Absent:
   * the entry is emptied.
   */
  withoutPersonal?: (apiData: Entry['apiData'], names: readonly string[]) => Entry['apiData'] | null
  /** How the `update` of a retry corrects its entries. Absent: there is nothing in them to correct. */
  correction?: {
    /** Throws what is wrong with the update. */
    validate: (scope: Scope, procedure: string, update: Record<string, unknown>) => Promise<ValidCorrection>
    apply: (apiData: Entry['apiData'], update: Record<string, unknown>) => Entry['apiData']
  }
  /** The primary key by which an entry names a process among its attributes; `keyName` is the short id of the key. */
  findKey?: (apiData: Entry['apiData'], keyName: string) => string | undefined
  /** What an entry says of the target of a column, so that it is read as this again. Absent: its results are no table that could be sent back. */
  getCell?: (apiData: Entry['apiData'], column: SenderColumn) => string
  /** What the results of an undo have in further columns, made of the result of an entry. */
  undoColumns?: Readonly<Record<string, (result: unknown) => string>>
  /** Builds the entry that undoes a succeeded one of this kind. Absent if nothing can, as with a message that was sent. */
  toUndo?: (done: SucceededEntry) => Entry
}

/** An entry that succeeded, what it came to, and where it stands. */
export interface SucceededEntry {
  entry: Entry
  result: Record<string, unknown>
  job: string
  index: number
}

/** Jobs in the queue of a kind may have entries of other kinds as well. */
interface QueueOfKind {
  name: JobQueue
  runner: JobRunner
  /** What a fetch of a job in that queue has in `_meta` besides its counts. */
  loadMeta: (scope: Scope, job: JobWithRetries) => Promise<Record<string, unknown>>
}

/** What the request said of a query that may match more than was meant. */
export interface Confirmation {
  /** It may match everything. */
  all: boolean
  /** It may name what nobody declared. */
  allowUndeclared: boolean
}

/** The next of all that match a query, newest first. */
export interface RequestedNames {
  where: unknown
  /** What relative times of the query count from: the acceptance, whenever the rest is found. */
  moment: number
  /** What has this row number or a higher one was looked at before; null: nothing was. */
  before: number | null
  limit: number
  /** Asked after each round trip. If it says no, the rest is left. */
  mayGoOn: () => boolean
}

export interface Search extends RequestedNames {
  scope: Scope
  /** The id of the procedure. */
  procedure: string
  /** Asked again, because the definition may be another one by now. Absent: the job was accepted by older code. */
  confirmation?: Confirmation | undefined
}

export interface MatchedNames {
  /** What names each of them in the `apiData` of its entry. */
  names: Record<string, unknown>[]
  /** The `before` of the next search; null: there is nothing left. */
  rest: number | null
}

/** The kinds by their `apiType`. */
export type EntryKinds = Readonly<Record<string, EntryKind>>

export const getKind = (kinds: EntryKinds, apiType: string): EntryKind | undefined =>
  Object.hasOwn(kinds, apiType) ? kinds[apiType] : undefined

/** The kind that has the queue of a job for itself. */
export const findQueueKind = (kinds: EntryKinds, queue: JobQueue | null): QueueOfKind | undefined =>
  Object.values(kinds).find(kind => kind.queue !== undefined && kind.queue.name === queue)?.queue

/** What runs an entry. */
export type EntryRunner = Pick<EntryKind, 'run' | 'isConflict' | 'isStale' | 'stepEntriesMax'>

const ERASED: EntryRunner = {
  run: ({ entries, commit }) => commit({ outcomes: entries.map(createErasedOutcome), statements: [] }),
  isConflict: () => false,
}

/** An entry that failed in the dry run which a job applies: it ends as it did there. */
const FAILED: EntryRunner = {
  run: ({ entries, commit }) =>
    commit({
      outcomes: entries.map(({ apiData }) => {
        const result = getPlannedFailure(apiData)
        return result ? { status: 'ERROR', result } : createErasedOutcome()
      }),
      statements: [],
    }),
  isConflict: () => false,
}

export function getEntryRunner(
  kinds: EntryKinds,
  job: Pick<JobRow, 'isDryRun'>,
  { apiType, apiData }: Pick<Entry, 'apiType' | 'apiData'>,
): EntryRunner | undefined {
  const kind = getKind(kinds, apiType)
  const isDryRun = job.isDryRun === 1
  if (kind && isErased(apiData) && (isDryRun || !kind.runsErased)) return ERASED
  if (kind && getPlannedFailure(apiData)) return FAILED
  return kind && isDryRun ? { ...kind, run: kind.preview ?? NO_PREVIEW } : kind
}

const NO_PREVIEW: NonNullable<EntryKind['run']> = ({ entries, commit }) =>
  commit({
    outcomes: entries.map(() => toOutcome(new AppError('conflict', 'entries of this kind have no dry run'))),
    statements: [],
  })

/** An entry with its place in the job: together with the job's id it makes a name that stays the same over retries. */
export type StepEntry = Entry & { index: number }

/** Some entries of one kind, about one procedure, that are run together. */
export interface Step {
  scope: Scope
  /** The procedure's id or short id; empty for kinds that need none. */
  procedure: string
  entries: StepEntry[]
  /**
   * Writes effects and outcomes in one transaction. It takes effect once or not at all. The caller may try again after an
   * error; `StaleJobError` ends the run, because another runner has written.
   */
  commit: (decision: Decision) => Promise<void>
}

/** The outcomes of the entries of a step, in order, and the statements of their effects. */
export interface Decision {
  /** Those of the first entries only, where the others have to wait for another step. */
  outcomes: Outcome[]
  statements: Statement[]
  /** What only later entries of the job have need of: it is written if there are some. */
  forLater?: Statement[]
}

/**
 * Another runner has written to the job since it was loaded: this runner gives it up. `isErasure`: somebody of the team
 * was erased instead, so that the entries have to be read again, in another slice.
 */
export class StaleJobError extends Error {
  override readonly name = 'StaleJobError'
  readonly isErasure: boolean

  constructor(isErasure = false) {
    super()
    this.isErasure = isErasure
  }
}
