import type { z } from 'zod'
import type { Statement } from '../db/statement.ts'
import type { Permission } from '../permissions.ts'
import type { Scope } from '../scope.ts'
import type { Entry, Outcome } from './entry.ts'
import type { JobWithRetries } from './job-rows.ts'
import type { JobQueue } from './queue.ts'

/** What a kind of entry implements. The kinds are registered in `src/kinds.ts`; the engine knows none of them. */
export interface EntryKind {
  permission: Permission
  /** `apiData` of an entry that is scheduled by hand. */
  schema: z.ZodType
  /** Decides the outcomes of the entries of a step, and commits them once. Kinds with the same `run` share steps. */
  run: (step: Step) => Promise<void>
  /** Another write conflicts: the step is split into smaller ones; an entry that conflicts alone ends as a conflict. */
  isConflict: (error: unknown) => boolean
  /** The definition that the decision relied on was replaced: the whole step is run again later. */
  isStale?: (error: unknown) => boolean
  /** Finds what a `where` stands for: of a kind whose jobs can be accepted before all their entries are known. */
  find?: (search: Search) => Promise<Found>
  /** Where the effects are outside of the database, a step should be small. */
  stepEntriesMax?: number
  /** Names what entries wait for together, a phone number for example: a job skips all that wait for the same. */
  waitsFor?: (apiData: Entry['apiData']) => string
  /** A queue of its own: a job with such an entry goes there. */
  queue?: JobQueue
  /** What a fetch of a job in that queue has in `_meta` besides its counts. */
  metaOf?: (scope: Scope, job: JobWithRetries) => Promise<Record<string, unknown>>
  /** Effects outside of the database can't be undone: a retry names the entry that it repeats. */
  retriesByName?: true
}

/** What the request said of a query that may match more than was meant. */
export interface Consent {
  /** It may match everything. */
  all: boolean
  /** It may name what nobody declared. */
  allowUndeclared: boolean
}

/** The next of all that match a query, newest first. */
export interface WantedNames {
  where: unknown
  /** What relative times of the query count from: the acceptance, whenever the rest is found. */
  moment: number
  /** What has this row number or a higher one was looked at before; null: nothing was. */
  before: number | null
  limit: number
  /** Asked after each round trip. If it says no, the rest is left. */
  mayGoOn: () => boolean
}

export interface Search extends WantedNames {
  scope: Scope
  /** The id of the procedure. */
  procedure: string
  /** Asked again, because the definition may be another one by now. Absent: the job was accepted by older code. */
  consent?: Consent | undefined
}

export interface Found {
  /** What names each of them in the `apiData` of its entry. */
  names: Record<string, unknown>[]
  /** The `before` of the next search; null: there is nothing left. */
  rest: number | null
}

/** The kinds by their `apiType`. */
export type EntryKinds = Readonly<Record<string, EntryKind>>

export const kindOf = (kinds: EntryKinds, apiType: string): EntryKind | undefined =>
  Object.hasOwn(kinds, apiType) ? kinds[apiType] : undefined

/** An entry that can't be run now, but at a time. */
export interface Deferral {
  status: 'DEFERRED'
  at: number
  /** It was not attempted, nor can any entry behind it be that waits for the same. */
  ofAll?: true
  /** Somebody has to mend something first: the job does not go on for its sake. */
  isStopped?: true
}

/** The outcomes of the entries of a step, in order, and the statements of their effects. */
export interface Decision {
  /** Of the first entries only, where the others have to wait for another step. Undefined: it was not run, and won't be. */
  outcomes: (Outcome | Deferral | undefined)[]
  statements: Statement[]
  wait?: Wait
}

/** Why no other entry can be run now. */
export interface Wait {
  ms: number
  /** Instead of a time: the plugin that must work again before the job goes on. */
  pause?: { plugin: number; because: string }
}

/** An entry with its place in the job: together with the job's id it makes a name that stays the same over retries. */
export type StepEntry = Entry & { index: number }

/** Some entries of one kind, about one procedure, that are run together. */
export interface Step {
  scope: Scope
  jobId: string
  /** The job was cancelled: only what was sent before is to be settled. */
  isCancelled: boolean
  /** The procedure's id or short id; empty for kinds that need none. */
  procedure: string
  entries: StepEntry[]
  /** Entries that the cursor has come to, that are outstanding, or that wait for the same and were skipped. */
  source: 'cursor' | 'outstanding' | 'skipped'
  /** Other entries remain that may be run before these: there is no need to wait for these. */
  mayDefer: boolean
  /** There is room to defer entries one by one. */
  hasRoom: boolean
  /** Some of those that remain: of the same chunk. */
  behind: readonly Entry[]
  /**
   * Writes effects and outcomes in one transaction. It takes effect once or not at all. The caller may try again
   * after an error; `StaleJobError` ends the turn, because another runner has written.
   */
  commit: (decision: Decision) => Promise<void>
  /**
   * For effects outside of the database: writes, before the first of them, that the entries are in flight. `outcomes` are
   * those known so far: as many entries are in the hands of the step. `wasWritten` tells whether it was written although the database's response says
   * otherwise, or was lost.
   */
  dispatch: (
    outcomes: Decision['outcomes'],
    statements: Statement[],
    wasWritten: (error: unknown) => Promise<boolean>,
  ) => Promise<void>
  /** Instead of `commit`, after `dispatch`: the effects take their time, and the next step may be run meanwhile. */
  detach: (rest: DetachedStep) => void
}

/** What is left of a step whose effects are under way. The engine settles such steps in their order. */
export interface DetachedStep {
  /** How many of the step's entries, from the first on, it will decide. */
  count: number
  /** When the next step may be run. */
  nextInMs: number
  /** Resolves when nothing has to be waited for any more; never rejects. */
  done: Promise<unknown>
  settle: (commit: Step['commit']) => Promise<void>
  /** Keeps what was learnt without committing the step, because an earlier one was not committed. Never rejects. */
  abandon: () => Promise<unknown>
}

/** Another runner has written to the job since it was loaded: this runner ends its turn. */
export class StaleJobError extends Error {
  override readonly name = 'StaleJobError'
}
