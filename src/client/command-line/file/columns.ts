import type { Procedure } from '../../client.ts'
import { type Changes, setField } from '../field/fields.ts'

export type ImportMode = 'create' | 'update' | 'upsert'

/** What an export has and nobody can set. `id` names a process, unless it is created. */
const READ_ONLY = ['createdAt', 'updatedAt', 'completedAt', 'createdBy', 'team', 'procedure', 'procedureShortId']
/** Columns of the file with the failed rows, such as `_error`. */
const NOTE = /^_/

type Declared = Pick<Procedure, 'attributes'>

const isDeclared = ({ attributes }: Declared, name: string): boolean =>
  attributes.some(({ shortId }) => shortId === name)

export const isNote = (procedure: Declared, column: string): boolean =>
  NOTE.test(column) && !isDeclared(procedure, column)

/** The columns that are in an export but not sent. */
export const readOnlyColumns = (procedure: Declared, header: readonly string[], mode: ImportMode): string[] =>
  header.filter(
    name => (READ_ONLY.includes(name) || (name === 'id' && mode !== 'update')) && !isDeclared(procedure, name),
  )

const asList = (names: readonly string[]): string => names.map(name => JSON.stringify(name)).join(', ')

/** The error in the header of a file, as a sentence; undefined if it is valid. */
export function headerFault(procedure: Procedure, header: readonly string[], mode: ImportMode): string | undefined {
  const twice = header.find((name, at) => header.indexOf(name) !== at)
  const [only = ''] = header
  const [separator] = /[;\t|]/.exec(only) ?? []
  if (header.length === 1 && separator !== undefined)
    return `there is one column, ${asList(header)}: cells are separated by commas, not by ${JSON.stringify(separator)}`
  if (header.some(name => name === '')) return 'a column has no name'
  if (twice !== undefined) return `there are two columns ${JSON.stringify(twice)}`
  if (mode !== 'update') return mode === 'upsert' ? upsertFault(procedure, header) : undefined
  const { primaryKey } = procedure
  if (header.includes('id') || (primaryKey !== null && header.includes(primaryKey))) return undefined
  const needed = primaryKey === null ? 'id' : `${primaryKey} or id`
  return `no column says which process a row is about: ${needed} is needed, and there are ${asList(header)}`
}

function upsertFault({ primaryKey, shortId }: Procedure, header: readonly string[]): string | undefined {
  if (primaryKey === null) return `${shortId} has no primary key, by which --upsert finds processes`
  return header.includes(primaryKey) ? undefined : `--upsert needs the column ${primaryKey}`
}

/** An item of a bulk request. An empty cell changes nothing. */
export function itemOf(
  procedure: Procedure,
  header: readonly string[],
  cells: readonly string[],
  mode: ImportMode,
): Record<string, unknown> {
  const key = keyColumn(procedure, header, mode)
  const ignored = new Set(readOnlyColumns(procedure, header, mode))
  const changes: Changes = {}
  const name: Record<string, unknown> = {}
  for (const [at, column] of header.entries()) {
    const text = cells[at] ?? ''
    if (text === '' || ignored.has(column) || isNote(procedure, column)) continue
    if (column === key) name[column] = text
    else if (column === 'isDeleted' && mode === 'update') changes[column] = text.toLowerCase() === 'true'
    else setField(changes, procedure, column, text)
  }
  return mode !== 'update' ? changes : { ...name, update: changes }
}

/** The column that names the process of a row; new processes are named by nothing. */
export function keyColumn(procedure: Procedure, header: readonly string[], mode: ImportMode): string | undefined {
  if (mode !== 'update') return undefined
  return header.includes('id') ? 'id' : (procedure.primaryKey ?? undefined)
}
