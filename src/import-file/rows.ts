import { quoteValue } from '../refusal-text.ts'
import { isNoteColumn } from './columns.ts'
import { formatCsvLine } from './csv.ts'
import { createRowParser, type RowPlan } from './items.ts'

/** A table, and how its rows are understood. */
export interface TablePlan extends RowPlan {
  header: readonly string[]
  separator: string
  /** The columns without a heading that the sender has said to leave out. */
  leftOut?: readonly number[] | undefined
}

export interface ReadRow {
  /** The item of a bulk request. */
  item: Record<string, unknown>
  /** Why the row is no item. */
  fault: string | undefined
  /** What is kept of a row that is none: the whole of it as it was, where nobody knows which cell belongs where. */
  kept: () => Record<string, unknown> | string | undefined
}

export const NO_TEXT = 'it is no text in the encoding of the file: say which one it has'

/**
 * Returns a function that reads the cells of a row, for the API, the command line and the page alike. What is wrong with a
 * row is a fault of this row alone.
 */
export function createRowReader(plan: TablePlan): (cells: readonly string[]) => ReadRow {
  const { header, separator, targets, leftOut = [] } = plan
  const parse = createRowParser(plan)
  const nameless = [...header.keys()].filter(at => header[at] === '' && targets[at] === '' && !leftOut.includes(at))
  // In a file of failed rows, a note stands beside it.
  const named = [...header.keys()].filter(at => !isNoteColumn(plan.procedure, header[at] ?? ''))
  const isHeader = (cells: readonly string[]) =>
    named.length > 1 && named.every(at => (cells[at] ?? '').trim() === header[at])
  const refuseWhole = (cells: readonly string[], fault: string): ReadRow => ({
    item: {},
    fault,
    kept: () => formatCsvLine(cells, separator).slice(0, -1),
  })
  return cells => {
    if (cells.length !== header.length)
      return refuseWhole(
        cells,
        `the row has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, and the header ${header.length}`,
      )
    if (!cells.every(cell => cell.isWellFormed())) return { item: {}, fault: NO_TEXT, kept: () => undefined }
    const lost = nameless.find(at => (cells[at] ?? '').trim() !== '')
    if (lost !== undefined) return refuseWhole(cells, formatNameless(lost, cells[lost] ?? ''))
    const { item, cells: readCells, unreadable } = parse(cells)
    if (isHeader(cells)) return { item: {}, fault: 'it is the header once more', kept: readCells }
    return { item, fault: unreadable, kept: readCells }
  }
}

const formatNameless = (at: number, cell: string): string =>
  `${quoteValue(cell.trim())} stands in column ${at + 1}, which has no heading`
