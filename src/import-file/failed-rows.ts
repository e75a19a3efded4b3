import { type FileColumns, isNoteColumn } from './columns.ts'
import { formatCsvLine } from './csv.ts'

/** What the results of a job say of a row, in columns beside the sender's own. */
export const RESULT_NOTES = ['_status', '_error', '_hint', '_id', '_line'] as const
export const ERROR_NOTE = '_error'

/** The columns that an earlier run has written: these notes side by side, or the error alone. Others may be the sender's. */
function findNotes(procedure: Pick<FileColumns, 'attributes'>, header: readonly string[]): number[] {
  const first = header.findIndex((_, at) => RESULT_NOTES.every((note, nth) => header[at + nth] === note))
  if (first >= 0) return RESULT_NOTES.map((_, nth) => first + nth)
  const error = isNoteColumn(procedure, ERROR_NOTE) ? header.indexOf(ERROR_NOTE) : -1
  return error < 0 ? [] : [error]
}

/** Stands behind the cells of a row that had too few: with it, a spreadsheet which adds the missing ones makes no valid row of it. */
const UNCORRECTED = 'delete this cell when the row is right'

interface FailedTable {
  procedure: Pick<FileColumns, 'attributes'>
  header: readonly string[]
  separator: string
}

/**
 * Writes failed rows as a table that can be corrected and sent again. The notes stand before the sender's columns, so that
 * a row has all its cells where they were, however many it has: which of them is wrong, only the sender knows.
 */
export function createFailedRowWriter({ procedure, header, separator }: FailedTable, notes: readonly string[]) {
  const former = findNotes(procedure, header)
  const own = [...header.keys()].filter(at => !former.includes(at))
  const areNotesFirst = former.every((at, nth) => at === nth)
  const fill = (cells: readonly string[]): string[] => {
    const sent = areNotesFirst ? cells.slice(former.length) : [...cells]
    if (sent.length > own.length) return sent
    return [...sent, ...own.slice(sent.length).map(() => ''), UNCORRECTED]
  }
  const ownCells = (cells: readonly string[]): string[] =>
    cells.length === header.length ? own.map(at => cells[at] ?? '') : fill(cells)
  return {
    header: formatCsvLine([...notes, ...own.map(at => header[at] ?? '')], separator),
    formatRow: (values: readonly string[], cells: readonly string[]): string =>
      formatCsvLine([...values, ...ownCells(cells)], separator),
  }
}
