import type { Procedure } from 'caseworker'
import { createRowChecker, type RepeatedKeys } from 'import-file/faults'
import type { TablePlan } from 'import-file/rows'
import { type CsvFile, type RowOptions, rowsIn } from './csv-file.ts'

/** A file, and how its rows are understood. */
export interface Plan extends TablePlan {
  procedure: Procedure
  csv: CsvFile
}

export interface ReadRow {
  /** The position among the rows, from 0. */
  index: number
  line: number
  cells: string[]
  item: Record<string, unknown>
  /** The fault by the definition of the procedure. */
  fault: string | undefined
}

export async function* readRows(
  plan: Plan,
  { repeated, ...options }: RowOptions & { repeated?: RepeatedKeys } = {},
): AsyncGenerator<ReadRow, void, undefined> {
  const read = createRowChecker(plan, repeated)
  let index = 0
  for await (const row of rowsIn(plan.csv, options)) {
    yield { index, ...row, ...read(row) }
    index += 1
  }
}
