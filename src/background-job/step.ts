import type { Statement } from '../db/statement.ts'
import type { Scope } from '../scope.ts'
import type { Entry, Outcome } from './entry.ts'

/** What came of the entries of a step, in their order, and the statements that make it so. */
export interface Decision {
  outcomes: Outcome[]
  statements: Statement[]
}

/** An entry with its place in the job: together with the job's id it makes a name that stays the same over retries. */
export type StepEntry = Entry & { index: number }

/** Some entries of one kind, about one procedure, that are run together. */
export interface Step {
  scope: Scope
  jobId: string
  /** The procedure's id or short id; empty for kinds that need none. */
  procedure: string
  entries: StepEntry[]
  /**
   * Writes effects and outcomes in one transaction. It takes effect once or not at all: what it throws may be tried
   * again by the caller, and ends the turn if another runner came first.
   */
  commit: (decision: Decision) => Promise<void>
}
