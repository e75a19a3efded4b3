import type { Procedure } from 'caseworker'
import { isTimeColumn, normalizeCell } from 'import-file/cells'
import { createRowChecker, type RepeatedKeys } from 'import-file/faults'
import type { TablePlan } from 'import-file/rows'
import { toLocal } from '../filter/times.ts'
import { type CsvFile, type RowOptions, rowsIn } from './csv-file.ts'

/** A file, and how its rows are understood. */
export interface Plan extends TablePlan {
  procedure: Procedure
  csv: CsvFile
}

/** Shows a cell as it is read: a day as 2026-12-31, a time in the reader's zone, a number as 1234.5. */
export function showCell({ procedure, targets, forms = [] }: TablePlan, at: number, cell: string): string {
  const target = targets[at] ?? ''
  const text = normalizeCell(procedure, target, cell.trim(), forms[at] ?? 'asIs')
  return isTimeColumn(procedure, target) && text !== cell.trim() ? toLocal(text).replace('T', ' ') : text
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
