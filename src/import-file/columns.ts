import type { Attribute, Definition, State } from '../procedure/model.ts'
import { quoteValue } from '../refusal-text.ts'
import { describeNamed } from '../suggest.ts'

/** What the rows of a file do: `upsert` creates processes, or updates those that have their primary key. */
export type ImportMode = 'create' | 'update' | 'upsert'

/** Where each column of a file goes, in the order of the columns; '' is nowhere. */
export type Targets = readonly string[]

type TableAttribute = Pick<Attribute, 'shortId' | 'name' | 'type' | 'required' | 'indexed'> & {
  values?: Attribute['values'] | undefined
}

/** The procedure that a file is for, as the API shows it and as the server has it. */
export interface TableProcedure extends Pick<Definition, 'primaryKey' | 'strict'> {
  shortId: string
  attributes: readonly TableAttribute[]
  states: readonly (Pick<State, 'shortId' | 'name'> & { startsHere?: boolean | undefined })[]
}

/** What the columns of a file refer to. */
export interface FileColumns extends Pick<TableProcedure, 'shortId' | 'primaryKey'> {
  attributes: readonly Pick<TableAttribute, 'shortId' | 'type'>[]
}
type Attributes = Pick<FileColumns, 'attributes'>

/** What columns may be called, and what the cells of the column of states name. */
export interface ColumnNames {
  attributes: readonly Pick<TableAttribute, 'shortId' | 'name' | 'type'>[]
  states: readonly Pick<State, 'shortId' | 'name'>[]
}

const isDeclared = ({ attributes }: Attributes, name: string): boolean =>
  attributes.some(({ shortId }) => shortId === name)

/** Columns of the file with the failed rows, such as `_error`. */
const NOTE = /^_/

export const isNoteColumn = (procedure: Attributes, column: string): boolean =>
  NOTE.test(column) && !isDeclared(procedure, column)

/** What an export has and nobody can set. `id` names a process, unless it is created. */
const READ_ONLY = ['createdAt', 'updatedAt', 'completedAt', 'createdBy', 'team', 'procedure', 'procedureShortId']

/** The columns that are in an export but not sent. */
export const getReadOnlyColumns = (procedure: Attributes, header: readonly string[], mode: ImportMode): string[] =>
  header.filter(
    name => (READ_ONLY.includes(name) || (name === 'id' && mode !== 'update')) && !isDeclared(procedure, name),
  )

/** The column that names the process of a row; new processes are named by nothing. */
export function getKeyColumn(
  procedure: Pick<FileColumns, 'primaryKey'>,
  header: readonly string[],
  mode: ImportMode,
): string | undefined {
  if (mode !== 'update') return undefined
  return header.includes('id') ? 'id' : (procedure.primaryKey ?? undefined)
}

/** The fields of a process, as people call them. */
export const FIELD_NAMES: Readonly<Record<string, string>> = {
  status: 'Status',
  state: 'State',
  nextActionAt: 'Next action',
  assignedTo: 'Assignee',
}
export const ID_NAME = 'Id of the process'
export const DELETION_NAME = 'Delete it, if true'
export const RECORD_NAMES: Readonly<Record<string, string>> = {
  'record.phone_number': 'Customer: phone number',
  'record.email': 'Customer: e-mail address',
  'record.name': 'Customer: name',
  'record.id': 'Customer: id',
}
/** Begins the names of attributes of the customer. */
export const RECORD_PREFIX = 'record.'

interface TargetNames {
  target: string
  /** What a column that goes there may be called. */
  names: readonly string[]
}

function listTargets({ attributes }: Pick<ColumnNames, 'attributes'>, mode: ImportMode): TargetNames[] {
  const toTargets = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).map(([target, name]) => ({ target, names: [target, name] }))
  return [
    ...(mode === 'update' ? toTargets({ id: ID_NAME }) : []),
    ...attributes.map(({ shortId, name }) => ({ target: shortId, names: [shortId, name] })),
    ...toTargets(FIELD_NAMES),
    ...(mode === 'update' ? toTargets({ isDeleted: DELETION_NAME }) : []),
    ...toTargets(RECORD_NAMES),
    { target: 'record.name', names: ['Customer'] },
  ]
}

/**
 * Proposes where each column goes by its name; each target is taken once, by a column that is called exactly so before
 * others, and a name of two attributes says neither. A column "Status" whose cells are states is the state: to people the
 * two words mean the same. What is called as in the API, "status", is what it is there.
 */
export function proposeTargets(
  procedure: ColumnNames,
  mode: ImportMode,
  header: readonly string[],
  rows: readonly { cells: readonly string[] }[] = [],
): Targets {
  const readOnly = new Set(getReadOnlyColumns(procedure, header, mode))
  const taken = new Set<string>()
  const targets = header.map(() => '')
  const known = listTargets(procedure, mode)
  const isIgnored = (column: string) => column === '' || readOnly.has(column) || isNoteColumn(procedure, column)
  const matchers: ((column: string, named: TargetNames) => boolean)[] = [
    (column, { target }) => target === column,
    (column, { names }) => names.map(toComparable).includes(toComparable(column)),
  ]
  for (const [nth, matches] of matchers.entries())
    for (const [at, column] of header.entries()) {
      if (isIgnored(column) || targets[at] !== '') continue
      // What is called as nothing known is an attribute of the customer's own.
      const isLast = nth === matchers.length - 1
      const recordTarget = isLast && column.startsWith(RECORD_PREFIX) ? column : undefined
      const isUnclear = findNamesakes(procedure, column).length > 1 && !known.some(({ target }) => target === column)
      const found = isUnclear ? undefined : (known.find(each => matches(column, each))?.target ?? recordTarget)
      if (found === undefined || taken.has(found)) continue
      taken.add(found)
      targets[at] = found
    }
  const status = targets.indexOf('status')
  const cells = rows.map(row => row.cells[status] ?? '')
  const isNamedByApi = header[status] === 'status'
  if (status >= 0 && !isNamedByApi && !taken.has('state') && holdStates(procedure, cells)) targets[status] = 'state'
  return targets
}

/** The attributes that a column may mean by its name. Names of attributes need not differ. */
export const findNamesakes = ({ attributes }: Pick<ColumnNames, 'attributes'>, column: string): string[] =>
  attributes
    .filter(({ shortId, name }) => [shortId, name].map(toComparable).includes(toComparable(column)))
    .map(({ shortId }) => shortId)

type WithStates = Pick<ColumnNames, 'states'>

/** Whether most cells of a column name states. */
function holdStates(procedure: WithStates, cells: readonly string[]): boolean {
  const filled = cells.filter(cell => cell.trim() !== '')
  const known = filled.filter(cell => findState(procedure, cell.trim()) !== undefined)
  return known.length > filled.length / 2
}

/** Case, spaces, dots, colons, underscores and hyphens are not compared. */
const toComparable = (name: string): string => name.toLowerCase().replaceAll(/[\s_.:-]/g, '')

/** The short id of the state that a cell names: people write its name, programs its short id. */
export function findState({ states }: WithStates, text: string): string | undefined {
  const wanted = toComparable(text)
  const exact = states.find(({ shortId }) => shortId === text)
  const found = exact ?? states.find(({ shortId, name }) => [shortId, name].map(toComparable).includes(wanted))
  return found?.shortId
}

/** Says that a cell is no state, and which states there are. */
export function formatStateFault({ states }: WithStates, text: string): string {
  const hint = describeNamed(
    text,
    states.map(({ shortId, name }) => ({ shortId, name: name || shortId })),
  )
  return `there is no state ${quoteValue(text)} (${hint})`
}
