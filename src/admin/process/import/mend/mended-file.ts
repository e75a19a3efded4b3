import { formatCsvLine } from 'import-file/csv'
import { rowsIn } from '../csv-file.ts'
import type { RowFailures } from '../failures.ts'
import type { Plan } from '../reading.ts'

export interface FailedRow {
  index: number
  line: number
  cells: readonly string[]
}

/** The failed rows of a file, as they stand in it. */
export async function failedRows({ csv }: Pick<Plan, 'csv'>, failures: RowFailures): Promise<FailedRow[]> {
  const rows: FailedRow[] = []
  let index = 0
  for await (const { line, cells } of rowsIn(csv)) {
    if (failures.has(index)) rows.push({ index, line, cells })
    index += 1
  }
  return rows
}

const MENDED = ' (mended)'

/** The mended rows as a file of their own: what was imported already is not in it. */
export function mendedFile({ csv }: Pick<Plan, 'csv'>, rows: readonly (readonly string[])[]): File {
  const lines = [formatCsvLine(csv.header, csv.separator), ...rows.map(cells => formatCsvLine(cells, csv.separator))]
  const name = csv.file.name
    .replace(MENDED, '')
    .replace(/(\.[^.]*)?$/, ending => `${MENDED}${csv.workbook ? '.csv' : ending}`)
  return new File(lines, name, { type: 'text/csv' })
}
