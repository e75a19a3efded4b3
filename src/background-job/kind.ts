import type { TextStatement } from '../db/text-statement.ts'
import type { Scope } from '../scope.ts'
import type { Entry, Outcome } from './entry.ts'

/** An entry that can't be run now, but at a time. */
export interface PutOff {
  status: 'PUT_OFF'
  at: number
}

/** What came of the entries of a step, in their order, and the statements that make it so. */
export interface Decision {
  /** Of the first entries only, where the others have to wait for another step. Undefined: it was not run, and won't be. */
  outcomes: (Outcome | PutOff | undefined)[]
  statements: TextStatement[]
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
  /** For kinds whose effects are outside of the database. */
  env: Env
  scope: Scope
  jobId: string
  /** How many of the entries, from the first on, were handed out by an earlier claim. */
  claimed: number
  /** The job was cancelled: only what was handed out before is to be settled. */
  isCancelled: boolean
  /** The procedure's id or short id; empty for kinds that need none. */
  procedure: string
  entries: StepEntry[]
  /**
   * Writes effects and outcomes in one transaction. It takes effect once or not at all: what it throws may be tried
   * again by the caller, and ends the turn if another runner came first.
   */
  commit: (decision: Decision) => Promise<void>
  /** For effects outside of the database: writes down, before the first of them, that so many entries are handed out. */
  claim: (count: number, statements: TextStatement[]) => Promise<void>
}

/** Another runner took the step: this one has nothing more to do. */
export class MovedOn extends Error {
  override readonly name = 'MovedOn'
}
