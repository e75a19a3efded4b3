import type { Procedure } from 'caseworker'
import { type ImportMode, itemOf, repeatedKeys, rowFault } from 'caseworker/file'
import { type CellForm, readCell } from './cell/cell-forms.ts'
import type { Targets } from './columns.ts'
import { type CsvFile, rowsIn } from './csv-file.ts'
import { noStateFault, stateCalled } from './state-cells.ts'

/** A file, and how its rows are understood. */
export interface Plan {
  csv: CsvFile
  procedure: Procedure
  mode: ImportMode
  targets: Targets
  /** How the cells of each column are written; as they are, where nothing is said. */
  forms?: readonly CellForm[]
}

export interface ReadRow {
  /** Its position among the rows, from 0. */
  index: number
  line: number
  cells: string[]
  item: Record<string, unknown>
  /** What the definition of the procedure says against it. */
  fault: string | undefined
}

/** A row as an item of a bulk request, and what is wrong with it. */
export function rowReader({ csv, procedure, mode, targets, forms = [] }: Plan) {
  const places = targets.flatMap((target, at) => (target === '' ? [] : [at]))
  const names = places.map(at => targets[at] ?? '')
  const stateAt = names.indexOf('state')
  const repeated = repeatedKeys({ procedure, mode })
  const columns = csv.header.length
  return (index: number, { line, cells }: { line: number; cells: string[] }): ReadRow => {
    const texts = places.map(at =>
      readCell(procedure, targets[at] ?? '', (cells[at] ?? '').trim(), forms[at] ?? 'asIs'),
    )
    const stateText = texts[stateAt] ?? ''
    const state = stateCalled(procedure, stateText)
    const item = itemOf(
      procedure,
      names,
      texts.map((text, nth) => (nth === stateAt ? (state ?? text) : text)),
      mode,
    )
    const fault =
      cells.length !== columns
        ? `the row has ${cells.length} cells, and the header ${columns}`
        : stateText !== '' && state === undefined
          ? noStateFault(procedure, stateText)
          : (rowFault(procedure, item, mode) ?? repeated.faultOf({ line, item }))
    return { index, line, cells, item, fault }
  }
}

export async function* readRows(
  plan: Plan,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<ReadRow, void, undefined> {
  const read = rowReader(plan)
  let index = 0
  for await (const row of rowsIn(plan.csv, onBytes)) {
    yield read(index, row)
    index += 1
  }
}
