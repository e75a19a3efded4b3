import { suggest } from '../suggest.ts'
import {
  type ColumnNames,
  type FileColumns,
  findNamesakes,
  getReadOnlyColumns,
  type ImportMode,
  isNoteColumn,
  proposeTargets,
  type TableProcedure,
  type Targets,
} from './columns.ts'
import { FIELDS } from './items.ts'

/** Why nothing of a file can be taken. */
export interface HeaderFault {
  message: string
  /** It is made when the fault is reported: to compare names takes long. */
  hint?: () => string
}

/** The first line of a file, where its columns go, and which of them the sender has said to leave out. */
interface Header {
  header: readonly string[]
  targets: Targets
  leftOut?: readonly number[] | undefined
}

const LEAVE_OUT = 'a column whose heading begins with "_" is left out'

/**
 * Says what is wrong with the heading of a file, in the API, on the command line and on the page alike. A column that is no
 * field and no attribute is refused: what stands in it would be lost, or be stored under a mistyped name.
 */
export function findHeaderFaults(procedure: TableProcedure, mode: ImportMode, columns: Header): HeaderFault[] {
  const { header, targets } = columns
  const places = header.map((name, at) => targets[at] || name).filter(name => name !== '')
  const fault = findRepeatedColumn(procedure, columns, mode) ?? findHeaderFault(procedure, places, mode)
  const unknown = findUnknownColumns(procedure, mode, columns)
  return fault === undefined ? unknown : [{ message: `the header: ${fault}` }, ...unknown]
}

export const findUnknownColumns = (procedure: TableProcedure, mode: ImportMode, columns: Header): HeaderFault[] =>
  listUnknownColumns(procedure, mode, columns).map(at => explainUnknown(procedure, mode, columns.header[at] ?? ''))

/** The columns that would be lost, because nothing is called as they are. */
export function listUnknownColumns(
  procedure: ColumnNames,
  mode: ImportMode,
  { header, targets, leftOut = [] }: Header,
): number[] {
  const readOnly = getReadOnlyColumns(procedure, header, mode)
  return [...header.keys()].filter(at => {
    const name = header[at] ?? ''
    if (name === '' || targets[at] !== '' || leftOut.includes(at)) return false
    if (readOnly.includes(name) || isNoteColumn(procedure, name)) return false
    // Two columns that are one attribute are another fault.
    return (proposeTargets(procedure, mode, [name])[0] ?? '') === ''
  })
}

function explainUnknown(procedure: TableProcedure, mode: ImportMode, name: string): HeaderFault {
  const quoted = JSON.stringify(name)
  const namesakes = findNamesakes(procedure, name)
  if (namesakes.length > 1)
    return { message: `the column ${quoted} may be any of ${namesakes.join(', ')}: name it by its short id` }
  const known = [
    ...procedure.attributes.map(({ shortId }) => shortId),
    ...FIELDS,
    ...(mode === 'update' ? ['id', 'isDeleted'] : []),
  ]
  if (name === 'isDeleted')
    return {
      message: `the column ${quoted} is of updates alone`,
      hint: () => `an update deletes and restores processes that are there; ${LEAVE_OUT}`,
    }
  return {
    message: `the column ${quoted} is no field, and no attribute of ${procedure.shortId}`,
    hint: () => {
      const meant = suggest(name, known)
      return meant === undefined ? LEAVE_OUT : `did you mean ${JSON.stringify(meant)}? ${LEAVE_OUT}`
    },
  }
}

const formatNames = (names: readonly string[]): string => names.map(name => JSON.stringify(name)).join(', ')

/** Says what is wrong with the header of a file; undefined if it is valid. */
export function findHeaderFault(
  procedure: FileColumns,
  header: readonly string[],
  mode: ImportMode,
): string | undefined {
  const [only = ''] = header
  const [separator] = /[;\t|]/.exec(only) ?? []
  if (header.length === 1 && separator !== undefined)
    return `there is one column, ${formatNames(header)}: cells are separated by commas, not by ${JSON.stringify(separator)}`
  const { primaryKey, shortId } = procedure
  if (mode === 'create') return undefined
  if (mode === 'upsert') {
    if (primaryKey === null) return `${shortId} has no primary key, by which processes would be found`
    return header.includes(primaryKey) ? undefined : `the column ${primaryKey} is needed: processes are found by it`
  }
  if (header.includes('id') || (primaryKey !== null && header.includes(primaryKey))) return undefined
  const needed = primaryKey === null ? 'id' : `${primaryKey} or id`
  return `no column says which process a row is about: ${needed} is needed, and there are ${formatNames(header)}`
}

/**
 * Says of the first column that would be lost because another one goes where it should which two these are; undefined if
 * there is none. Notes, and what nobody can set, may stand twice.
 */
export function findRepeatedColumn(
  procedure: ColumnNames,
  { header, targets }: { header: readonly string[]; targets: Targets },
  mode: ImportMode,
): string | undefined {
  const readOnly = getReadOnlyColumns(procedure, header, mode)
  const getMeaning = (name: string): string => proposeTargets(procedure, mode, [name])[0] || name
  for (const [at, name] of header.entries()) {
    const target = targets[at] ?? ''
    if (name === '' || readOnly.includes(name) || isNoteColumn(procedure, name)) continue
    const isFirst = target !== '' && targets.indexOf(target) === at
    if (isFirst && target !== name) continue
    const meaning = getMeaning(name)
    if (isFirst && meaning === name) continue
    const other = header.findIndex((_, each) => each !== at && targets[each] === meaning)
    const otherName = header[other]
    if (otherName === undefined || getMeaning(otherName) !== meaning) continue
    const [first, second] = [Math.min(at, other), Math.max(at, other)]
    return name === otherName
      ? `${JSON.stringify(name)} stands there twice, as column ${first + 1} and as column ${second + 1}`
      : `${JSON.stringify(header[first])}, column ${first + 1}, and ${JSON.stringify(header[second])}, column ${second + 1}, are both ${meaning}`
  }
  return undefined
}
