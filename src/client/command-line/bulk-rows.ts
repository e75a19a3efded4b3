import { findDoubledMember } from '../../doubled-members.ts'
import { findUnclearCell, isTimeColumn, normalizeCell } from '../../import-file/cells.ts'
import { CsvError, formatCsvLine, isEmptyRow, type Numbering, parseCsv, type Row } from '../../import-file/csv.ts'
import { createFailedRowWriter, ERROR_NOTE } from '../../import-file/failed-rows.ts'
import type { DATE_FORMS, DECIMAL_FORMS } from '../../import-file/forms.ts'
import { createRowReader, type TablePlan } from '../../import-file/rows.ts'
import { describeJsonError } from '../../refusal-text.ts'
import type { Procedure } from '../client.ts'
import type { RowFile } from './bulk-file.ts'
import { UsageError } from './command/command.ts'

export interface FileRow {
  line: number
  /** The row as it is sent, with its line end. */
  text: string
  /** The item of the bulk request. */
  item: Record<string, unknown>
  /** Why it is no item, whatever the definition says: it becomes an INVALID entry. */
  fault: string | undefined
  /** The row as it was sent, with the reason why it failed. */
  withError: (message: string) => string
}

/** A file with how its rows are understood: where the columns go, and how their cells are written. */
export interface Reading extends TablePlan {
  procedure: Procedure
  /** The line in which the header begins. */
  headerLine: number
  /** What the sender says of the cells, as the API is told it. */
  stated: CellForms
}

export interface CellForms {
  dates?: keyof typeof DATE_FORMS | undefined
  decimal?: keyof typeof DECIMAL_FORMS | undefined
}

/** The columns of the file, as headings and as what stands in them. */
export const listColumns = ({ header, targets }: Reading): { name: string; target: string }[] =>
  targets.map((target, at) => ({ target, name: header[at] ?? target }))

/** `onEmpty` is told of each row that is left out because its cells are all empty. */
export const readRows = (
  file: RowFile,
  reading: Reading,
  onEmpty?: () => void,
): AsyncGenerator<FileRow, void, undefined> =>
  file.format === 'csv' ? readCsvRows(file, reading, onEmpty) : readJsonRows(file)

/** A row of a workbook is named by its number in the sheet. */
export const getNumbering = ({ sheet }: Pick<RowFile, 'sheet'>): Numbering => (sheet === undefined ? 'lines' : 'rows')

/** The rows of a CSV file as they are, its header first. */
export async function* readCells(file: RowFile, onEmpty: () => void = () => {}): AsyncGenerator<Row, void, undefined> {
  let isHeader = true
  try {
    for await (const row of parseCsv(file.text(), file.separator, { numbering: getNumbering(file) })) {
      if (!isHeader && isEmptyRow(row)) onEmpty()
      else yield isHeader ? { ...row, cells: row.cells.map(cell => cell.trim()) } : row
      isHeader = false
    }
  } catch (error) {
    throw error instanceof CsvError ? new UsageError(error.message) : error
  }
}

async function* readCsvRows(
  file: RowFile,
  reading: Reading,
  onEmpty?: () => void,
): AsyncGenerator<FileRow, void, undefined> {
  const read = createRowReader(reading)
  const failed = createFailedRowWriter(reading, [ERROR_NOTE])
  const toSent = createTimeWriter(reading)
  let isHeader = true
  for await (const { line, cells } of readCells(file, onEmpty)) {
    if (!isHeader) {
      const { item, fault } = read(cells)
      yield {
        line,
        text: formatCsvLine(toSent(cells), file.separator),
        item,
        fault,
        withError: message => failed.formatRow([message], cells),
      }
    }
    isHeader = false
  }
}

/** A time without a zone is that of this machine, which the API does not know: it gets its offset. All else is sent as it is. */
function createTimeWriter({ procedure, header, targets, forms = [], open = [] }: Reading) {
  const places = [...targets.keys()].filter(at => isTimeColumn(procedure, targets[at] ?? ''))
  const write = (sent: string, at: number): string => {
    const [cell, target, form] = [sent.trim(), targets[at] ?? '', forms[at] ?? 'asIs']
    if (cell === '' || (open[at] && findUnclearCell(procedure, target, cell, form) !== undefined)) return sent
    return normalizeCell(procedure, target, cell, form)
  }
  return (cells: readonly string[]): readonly string[] =>
    places.length === 0 || cells.length !== header.length
      ? cells
      : cells.map((cell, at) => (places.includes(at) ? write(cell, at) : cell))
}

/** Reads a file in which each line is an item of the bulk request. */
async function* readJsonRows(file: RowFile): AsyncGenerator<FileRow, void, undefined> {
  let [rest, line] = ['', 0]
  for await (const text of file.text()) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const each of lines) {
      line += 1
      if (each.trim() !== '') yield readJsonRow(each, line)
    }
  }
  if (rest.trim() !== '') yield readJsonRow(rest, line + 1)
}

/** A line that is no item goes into the file of failed rows as it was: there is no place in it for the reason. */
function readJsonRow(text: string, line: number): FileRow {
  const parsed = text.isWellFormed() ? parseJsonLine(text) : { fault: 'it is not valid UTF-8' }
  if ('fault' in parsed)
    return {
      line,
      text: `${text.trimEnd()}\n`,
      item: {},
      fault: parsed.fault,
      withError: () => `${text.trimEnd()}\n`,
    }
  const { [ERROR_NOTE]: _, ...item } = parsed.item
  return {
    line,
    text: `${JSON.stringify(item)}\n`,
    item,
    fault: undefined,
    withError: message => `${JSON.stringify({ ...item, [ERROR_NOTE]: message })}\n`,
  }
}

function parseJsonLine(text: string): { item: Record<string, unknown> } | { fault: string } {
  try {
    const item: unknown = JSON.parse(text)
    const doubled = findDoubledMember(text, item)
    if (doubled) return { fault: `${JSON.stringify(doubled.at(-1))} is there twice (/${doubled.join('/')})` }
    return typeof item === 'object' && item !== null && !Array.isArray(item)
      ? { item: item as Record<string, unknown> }
      : { fault: 'an item must be an object' }
  } catch (error) {
    return { fault: describeJsonError(error) }
  }
}
