import type { Procedure } from '../../client.ts'
import { type CellForm, readCell } from './cell-forms.ts'
import { type ImportMode, itemOf } from './columns.ts'
import { repeatedKeys } from './repeated-keys.ts'
import { rowFault } from './row-fault.ts'
import { noStateFault, stateCalled } from './state-cells.ts'
import type { Targets } from './targets.ts'

/** How the rows of a file are understood. */
export interface RowPlan {
  procedure: Procedure
  mode: ImportMode
  targets: Targets
  /** How the cells of each column are written; as they are, where nothing is said. */
  forms?: readonly CellForm[]
}

interface ReadCells {
  item: Record<string, unknown>
  /** Why a cell can't be read: what is sent would be something else than what was meant. */
  unreadable: string | undefined
}

/**
 * The cells of a row as an item of a bulk request. Spaces around a cell are left out: spreadsheets add them, and a key with
 * a space would be another key.
 */
export function cellReader({ procedure, mode, targets, forms = [] }: RowPlan) {
  const places = targets.flatMap((target, at) => (target === '' ? [] : [at]))
  const names = places.map(at => targets[at] ?? '')
  return (cells: readonly string[]): ReadCells => {
    const texts = places.map(at =>
      readCell(procedure, targets[at] ?? '', (cells[at] ?? '').trim(), forms[at] ?? 'asIs'),
    )
    const faults = names.flatMap((name, nth) => brokenJson(procedure, name, texts[nth] ?? '') ?? [])
    const read = texts.map((text, nth) => (names[nth] === 'state' ? (stateCalled(procedure, text) ?? text) : text))
    return {
      item: itemOf(procedure, names, read, mode),
      unreadable: faults.length === 0 ? undefined : faults.join('; '),
    }
  }
}

const LOOKS_LIKE_JSON = /^[[{"]/

/** JSON with a mistake would be stored as the text that it is. Other text is meant as text. */
export function brokenJson(
  { attributes }: Pick<Procedure, 'attributes'>,
  name: string,
  text: string,
): string | undefined {
  if (!LOOKS_LIKE_JSON.test(text) || attributes.find(({ shortId }) => shortId === name)?.type !== 'json')
    return undefined
  try {
    JSON.parse(text)
    return undefined
  } catch {
    return `${JSON.stringify(name)} is no JSON: names and texts stand in double quotes, as in {"roof": "flat"}`
  }
}

/** A row as an item of a bulk request, and what is wrong with it. `columns` is how many the header has. */
export function rowReader(plan: RowPlan, columns: number) {
  const { procedure, mode, targets } = plan
  const read = cellReader(plan)
  const stateAt = targets.indexOf('state')
  const repeated = repeatedKeys({ procedure, mode })
  return ({ line, cells }: { line: number; cells: readonly string[] }) => {
    const { item, unreadable } = read(cells)
    const state = (cells[stateAt] ?? '').trim()
    const fault =
      cells.length !== columns
        ? `the row has ${cells.length} cells, and the header ${columns}`
        : state !== '' && stateCalled(procedure, state) === undefined
          ? noStateFault(procedure, state)
          : (unreadable ?? rowFault(procedure, item, mode) ?? repeated.faultOf({ line, item }))
    return { item, fault }
  }
}
