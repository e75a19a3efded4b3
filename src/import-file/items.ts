import { findDoubledMember } from '../doubled-members.ts'
import {
  type CellForm,
  findUnclearCell,
  formatAmbiguity,
  getFormOptions,
  getNumberMark,
  isTimeColumn,
  normalizeCell,
  parseCell,
  parseTime,
  parseTruth,
} from './cells.ts'
import {
  type FileColumns,
  findState,
  getKeyColumn,
  getReadOnlyColumns,
  type ImportMode,
  isNoteColumn,
  RECORD_PREFIX,
  type TableProcedure,
  type Targets,
} from './columns.ts'

/** The columns that are fields of a process, not attributes. */
export const FIELDS: readonly string[] = ['status', 'state', 'nextActionAt', 'assignedTo']

type Values = Record<string, unknown>

/** The fields and attributes of a row, in the format of a request. */
export interface Changes {
  data?: Values
  record?: { id?: string; data?: Values } | null
  [field: string]: unknown
}

/** Sets a field, an attribute, with `record.` an attribute of the customer, or with `record.id` whom the process is for. */
export function setField(
  changes: Changes,
  { attributes }: Pick<FileColumns, 'attributes'>,
  name: string,
  text: string,
): void {
  if (name === 'nextActionAt') changes[name] = parseTime(text)
  else if (FIELDS.includes(name)) changes[name] = text
  else if (name.startsWith(RECORD_PREFIX)) {
    changes.record ??= {}
    const attribute = name.slice(RECORD_PREFIX.length)
    if (attribute === 'id') changes.record.id = text
    else changes.record.data = { ...changes.record.data, [attribute]: text }
  } else {
    changes.data ??= {}
    changes.data[name] = parseCell(
      attributes.find(({ shortId }) => shortId === name),
      text,
    )
  }
}

/** An item of a bulk request. An empty cell changes nothing. */
export function toItem(
  procedure: FileColumns,
  header: readonly string[],
  cells: readonly string[],
  mode: ImportMode,
): Values {
  const key = getKeyColumn(procedure, header, mode)
  const ignored = new Set(getReadOnlyColumns(procedure, header, mode))
  const changes: Changes = {}
  const name: Values = {}
  for (const [at, column] of header.entries()) {
    const text = cells[at] ?? ''
    if (text === '' || ignored.has(column) || isNoteColumn(procedure, column)) continue
    if (column === key) name[column] = text
    else if (column === 'isDeleted' && mode === 'update') changes[column] = parseTruth(text)
    else setField(changes, procedure, column, text)
  }
  return mode !== 'update' ? changes : { ...name, update: changes }
}

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null

/** The primary key that an item names, as text: with it, another row is about the same process. */
export function getItemKey({ primaryKey }: Pick<TableProcedure, 'primaryKey'>, item: Values): string | undefined {
  if (primaryKey === null) return undefined
  const data = isObject(item.data) ? item.data : {}
  const key = item[primaryKey] ?? data[primaryKey]
  return typeof key === 'string' || typeof key === 'number' ? String(key) : undefined
}

/** How the rows of a file are understood. */
export interface RowPlan<Of extends TableProcedure = TableProcedure> {
  procedure: Of
  mode: ImportMode
  targets: Targets
  /** What its columns are called: messages call them so. */
  header?: readonly string[] | undefined
  /** How the cells of each column are written; as they are, where nothing is said. */
  forms?: readonly CellForm[]
  /** In which of the columns that are taken as they are the point of `1.234` may stand before thousands. */
  unclearPoints?: readonly boolean[]
  /** The columns whose form nobody stated, so that a cell which does not fit the first ones is refused. */
  open?: readonly boolean[]
  /** Times without an offset are left as they are, to be refused: it is not known whose they are. */
  timesNeedOffset?: true
}

interface ParsedRow {
  item: Values
  /** What each column says, by where it goes; a cell that can't be read as it was sent. */
  cells: () => Values
  /** Why a cell can't be read: what is sent would be something else than what was meant. */
  unreadable: string | undefined
}

/**
 * Returns a function that makes an item of a bulk request of the cells of a row. Spaces around a cell are left out:
 * spreadsheets add them, and a key with a space would be another key.
 */
export function createRowParser(plan: RowPlan) {
  const { procedure, mode, targets, header = [], forms = [], open = [], unclearPoints = [], timesNeedOffset } = plan
  const places = targets.flatMap((target, at) => (target === '' ? [] : [at]))
  const columns = places.map(at => {
    const name = targets[at] ?? ''
    const isLeft = timesNeedOffset === true && isTimeColumn(procedure, name)
    return { at, name, heading: header[at] ?? name, form: forms[at] ?? 'asIs', isLeft }
  })
  const names = columns.map(({ name }) => name)
  const isForm = columns.map(({ name }) => getFormOptions(procedure, name).length > 0)
  return (cells: readonly string[]): ParsedRow => {
    const faults: string[] = []
    const unread = new Set<number>()
    const values = columns.map(({ at, name, heading, form, isLeft }, nth) => {
      const cell = (cells[at] ?? '').trim()
      if (cell === '' || isLeft) return cell
      const isPoint = unclearPoints[at] && form === 'asIs' && getNumberMark(cell) === 'point?'
      const found = open[at] ? findUnclearCell(procedure, name, cell, form) : undefined
      const option = isPoint ? 'decimal' : found
      if (option !== undefined) {
        faults.push(formatAmbiguity(heading, { option, cell }))
        unread.add(nth)
      }
      const text = normalizeCell(procedure, name, cell, form)
      const fault = findJsonFault(procedure, name, text, heading)
      if (fault !== undefined) faults.push(fault)
      return name === 'state' ? (findState(procedure, text) ?? text) : text
    })
    if (values.every(value => value === '')) faults.push(NOTHING)
    return {
      item: toItem(procedure, names, values, mode),
      cells: () => {
        const read = columns.flatMap(({ at, name, isLeft }, nth) => {
          const sent = cells[at] ?? ''
          const isRead = isForm[nth] && !isLeft && !unread.has(nth)
          const attribute = procedure.attributes.find(({ shortId }) => shortId === name)
          return sent === '' ? [] : [[name, isRead ? parseCell(attribute, values[nth] ?? '') : sent]]
        })
        return Object.fromEntries(read) as Values
      },
      unreadable: faults.length === 0 ? undefined : faults.join('; '),
    }
  }
}

/** As is a row of too many or too few cells in a table of failed rows: what it was stands in its notes. */
const NOTHING = 'there is nothing in its columns'

export const LOOKS_LIKE_JSON = /^[[{"]/

/** JSON with a mistake would be stored as the text that it is, and one of two values be lost. Other text is meant as text. */
export function findJsonFault(
  { attributes }: Pick<FileColumns, 'attributes'>,
  name: string,
  text: string,
  heading = name,
): string | undefined {
  if (!LOOKS_LIKE_JSON.test(text) || attributes.find(({ shortId }) => shortId === name)?.type !== 'json')
    return undefined
  try {
    const doubled = findDoubledMember(text, JSON.parse(text))?.at(-1)
    return doubled === undefined ? undefined : `${JSON.stringify(heading)} has ${JSON.stringify(doubled)} twice`
  } catch {
    return `${JSON.stringify(heading)} is no JSON: names and texts stand in double quotes, as in {"roof": "flat"}`
  }
}
