import type { Choice } from '../choice.ts'
import type { CheckResult, ImportState, PlannedImport } from '../run.ts'

export type Step =
  | { name: 'columns' }
  | { name: 'checking'; share: number }
  | { name: 'checked'; result: CheckResult }
  | { name: 'planning'; result: CheckResult; state: ImportState }
  | { name: 'planned'; result: CheckResult; planned: PlannedImport }
  | { name: 'sending' | 'done'; result: CheckResult; state: ImportState; failure?: unknown }

export const COLUMNS: Step = { name: 'columns' }

/** A step of the import, and the choice that it was taken with. */
export interface ChoiceStep {
  of: Choice
  step: Step
  failure?: unknown
}

/** A check and a dry run are of one choice: after any other, also of how a column is written, the file is checked again. */
export const recallStep = (known: ChoiceStep | undefined, choice: Choice): Omit<ChoiceStep, 'of'> =>
  known?.of === choice ? known : { step: COLUMNS }
