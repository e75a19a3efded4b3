import { FIRST_STEP_ENTRIES, nextStepEntries } from './step-size-rules.ts'

/** The most entries of a step, which all jobs in this isolate share: they share the database, too. */
let stepEntries = FIRST_STEP_ENTRIES

/** Returns how many entries a step takes at most: fewer while others want the database, so that nobody waits long for one step. */
export const getStepEntries = (): number => stepEntries

/** Adapts the size of the next steps to what the last one took. One that ran no entry says nothing about their speed. */
export function adaptStepEntries(step: { entries: number; ownMs: number; isShared: boolean }): void {
  if (step.entries > 0) stepEntries = nextStepEntries(stepEntries, step)
}
