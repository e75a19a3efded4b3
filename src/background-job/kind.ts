import type { z } from 'zod'
import type { Statement } from '../db/statement.ts'
import type { Permission } from '../permissions.ts'
import type { Scope } from '../scope.ts'
import type { Entry, Outcome } from './entry.ts'

/** What a kind of entry implements. The kinds are registered in `src/kinds.ts`; the engine knows none of them. */
export interface EntryKind {
  permission: Permission
  /** `apiData` of an entry that is scheduled by hand. */
  schema: z.ZodType
  /** Decides what becomes of the entries of a step, and commits that once. Kinds with the same `run` share steps. */
  run: (step: Step) => Promise<void>
  /** Somebody else was faster: the same entries, fewer at once, may get through; a single one ends as a conflict. */
  isConflict: (error: unknown) => boolean
  /** What the step was decided on has been replaced: all of it is run again later. */
  isStale?: (error: unknown) => boolean
  /** Where the effects are outside of the database, a step should be small. */
  stepEntriesMax?: number
  /** Effects outside of the database can't be undone: a retry names the entry that it repeats. */
  retriesByName?: true
}

/** The kinds by their `apiType`. */
export type EntryKinds = Readonly<Record<string, EntryKind>>

export const kindOf = (kinds: EntryKinds, apiType: string): EntryKind | undefined =>
  Object.hasOwn(kinds, apiType) ? kinds[apiType] : undefined

/** An entry that can't be run now, but at a time. */
export interface Deferral {
  status: 'DEFERRED'
  at: number
}

/** What came of the entries of a step, in their order, and the statements that make it so. */
export interface Decision {
  /** Of the first entries only, where the others have to wait for another step. Undefined: it was not run, and won't be. */
  outcomes: (Outcome | Deferral | undefined)[]
  statements: Statement[]
  wait?: Wait
}

/** Why no other entry can be run now. */
export interface Wait {
  ms: number
  /** What has to be mended before the job can go on, in place of a time. */
  pause?: { plugin: number; because: string }
}

/** An entry with its place in the job: together with the job's id it makes a name that stays the same over retries. */
export type StepEntry = Entry & { index: number }

/** Some entries of one kind, about one procedure, that are run together. */
export interface Step {
  scope: Scope
  jobId: string
  /** How many of the entries, from the first on, were dispatched by an earlier step. */
  dispatched: number
  /** The job was cancelled: only what was dispatched before is to be settled. */
  isCancelled: boolean
  /** The procedure's id or short id; empty for kinds that need none. */
  procedure: string
  entries: StepEntry[]
  /** They were deferred before, and entries that were not looked at yet remain behind the cursor. */
  isDeferred: boolean
  /**
   * Writes effects and outcomes in one transaction. It takes effect once or not at all: what it throws may be tried
   * again by the caller, and ends the turn if another runner came first.
   */
  commit: (decision: Decision) => Promise<void>
  /**
   * For effects outside of the database: writes down, before the first of them, that so many entries are dispatched.
   * `wasWritten` tells whether it was written although the database's response says otherwise, or was lost.
   */
  dispatch: (count: number, statements: Statement[], wasWritten: (error: unknown) => Promise<boolean>) => Promise<void>
}

/** Another runner has written to the job since it was loaded: this one has nothing more to do. */
export class StaleJobError extends Error {
  override readonly name = 'StaleJobError'
}
