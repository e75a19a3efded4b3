import type { Procedure } from '../../client.ts'
import { UsageError } from '../command/usage-error.ts'
import { csvLine } from '../output/csv-line.ts'
import { headerFault, type ImportMode, isNote, itemOf } from './columns.ts'
import { CsvError, rowsOf } from './csv-rows.ts'
import type { RowFile } from './row-file.ts'

export interface FileRow {
  line: number
  /** The item of the bulk request. */
  item: Record<string, unknown>
  /** The row as it was sent, with the reason why it failed. */
  withError: (message: string) => string
}

export interface Reading {
  procedure: Procedure
  mode: ImportMode
  onHeader?: (header: string[]) => void
}

export const fileRows = (file: RowFile, reading: Reading): AsyncGenerator<FileRow, void, undefined> =>
  file.format === 'csv' ? csvRows(file, reading) : jsonRows(file)

export const ERROR_COLUMN = '_error'

/** The columns of the sender, without the notes of an earlier run. */
export const sentColumns = (procedure: Procedure, header: readonly string[]): string[] =>
  header.filter(column => !isNote(procedure, column))

async function* csvRows(
  file: RowFile,
  { procedure, mode, onHeader }: Reading,
): AsyncGenerator<FileRow, void, undefined> {
  let header: string[] | undefined
  try {
    for await (const { line, cells } of rowsOf(file.text())) {
      if (header === undefined) {
        header = cells.map(cell => cell.trim())
        const fault = headerFault(procedure, header, mode)
        if (fault !== undefined) throw new UsageError(`the header: ${fault}`)
        onHeader?.(header)
        continue
      }
      const columns = header
      if (cells.length !== columns.length)
        throw new UsageError(`line ${line} has ${cells.length} cells, and the header ${columns.length}`)
      const withError = (message: string) =>
        csvLine([...cells.filter((_, at) => !isNote(procedure, columns[at] ?? '')), message])
      yield { line, item: itemOf(procedure, columns, cells, mode), withError }
    }
  } catch (error) {
    throw error instanceof CsvError ? new UsageError(error.message) : error
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
    return { line, item, withError: message => `${JSON.stringify({ ...item, [ERROR_COLUMN]: message })}\n` }
  } catch (error) {
    throw new UsageError(`line ${line} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}
