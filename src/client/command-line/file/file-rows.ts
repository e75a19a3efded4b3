import type { Procedure } from '../../client.ts'
import { isNoteColumn } from '../../import-file/columns.ts'
import { CsvError, formatCsvLine, isEmptyRow, parseCsv, type Row } from '../../import-file/csv.ts'
import { createRowParser, type RowPlan } from '../../import-file/items.ts'
import { UsageError } from '../command/usage-error.ts'
import type { RowFile } from './row-file.ts'

export interface FileRow {
  line: number
  /** The item of the bulk request. */
  item: Record<string, unknown>
  /** Why it can't be sent, whatever the definition says. */
  unreadable: string | undefined
  /** The row as it was sent, with the reason why it failed. */
  withError: (message: string) => string
}

/** A file with how its rows are understood: where the columns go, and how their cells are written. */
export interface Reading extends RowPlan {
  header: readonly string[]
}

export const fileRows = (file: RowFile, reading: Reading): AsyncGenerator<FileRow, void, undefined> =>
  file.format === 'csv' ? csvRows(file, reading) : jsonRows(file)

export const ERROR_COLUMN = '_error'

/** The columns of the sender, without the notes of an earlier run. */
export const sentColumns = (procedure: Procedure, header: readonly string[]): string[] =>
  header.filter(column => !isNoteColumn(procedure, column))

/** The rows of a CSV file as they are, its header first. */
export async function* cellsIn(file: RowFile): AsyncGenerator<Row, void, undefined> {
  let isHeader = true
  try {
    for await (const row of parseCsv(file.text(), file.separator)) {
      if (isHeader || !isEmptyRow(row)) yield isHeader ? { ...row, cells: row.cells.map(cell => cell.trim()) } : row
      isHeader = false
    }
  } catch (error) {
    throw error instanceof CsvError ? new UsageError(error.message) : error
  }
}

async function* csvRows(file: RowFile, reading: Reading): AsyncGenerator<FileRow, void, undefined> {
  const { procedure, header } = reading
  const read = createRowParser(reading)
  let isHeader = true
  for await (const { line, cells } of cellsIn(file)) {
    if (!isHeader) {
      if (cells.length !== header.length)
        throw new UsageError(`line ${line} has ${cells.length} cells, and the header ${header.length}`)
      const own = cells.filter((_, at) => !isNoteColumn(procedure, header[at] ?? ''))
      yield { line, ...read(cells), withError: message => formatCsvLine([...own, message], file.separator) }
    }
    isHeader = false
  }
}

/** Each line is an item of the bulk request. */
async function* jsonRows(file: RowFile): AsyncGenerator<FileRow, void, undefined> {
  let [rest, line] = ['', 0]
  for await (const text of file.text()) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const each of lines) {
      line += 1
      if (each.trim() !== '') yield jsonRow(each, line)
    }
  }
  if (rest.trim() !== '') yield jsonRow(rest, line + 1)
}

function jsonRow(text: string, line: number): FileRow {
  try {
    const { [ERROR_COLUMN]: _, ...item } = JSON.parse(text) as Record<string, unknown>
    return {
      line,
      item,
      unreadable: undefined,
      withError: message => `${JSON.stringify({ ...item, [ERROR_COLUMN]: message })}\n`,
    }
  } catch (error) {
    throw new UsageError(`line ${line} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}
