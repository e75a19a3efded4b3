import { suggest } from '../../suggest.ts'
import type { Procedure } from '../client.ts'
import type { UpdateProcessByIdBody } from '../generated/bodies.ts'
import { parseCell } from './cell.ts'

/** The columns that are fields of a process, not attributes. */
const IS_FIELD: Record<Exclude<keyof UpdateProcessByIdBody, 'data'>, true> = {
  status: true,
  state: true,
  nextActionAt: true,
  assignedTo: true,
}
const FIELDS = Object.keys(IS_FIELD)
const RECORD = 'record.'

type Values = Record<string, unknown>

/** The fields and attributes of a row, in the format of a request. */
export interface Changes {
  data?: Values
  record?: { data: Values }
  [field: string]: unknown
}

/** Sets a field, an attribute, or with `record.` an attribute of the customer. */
export function setField(
  changes: Changes,
  { attributes }: Pick<Procedure, 'attributes'>,
  name: string,
  text: string,
): void {
  if (FIELDS.includes(name)) changes[name] = text
  else if (name.startsWith(RECORD)) {
    changes.record ??= { data: {} }
    changes.record.data[name.slice(RECORD.length)] = text
  } else {
    changes.data ??= {}
    changes.data[name] = parseCell(
      attributes.find(({ shortId }) => shortId === name),
      text,
    )
  }
}

/** Columns that only updates have. */
const OF_UPDATES = ['id', 'isDeleted']

/**
 * A sentence for each name that is neither a declared attribute nor a field. It is stored anyway, but is often a typing
 * mistake.
 */
export function undeclaredAttributes(
  { attributes, shortId: procedure }: Pick<Procedure, 'attributes' | 'shortId'>,
  names: readonly string[],
  mode: 'create' | 'update',
): string[] {
  const declared = attributes.map(({ shortId }) => shortId)
  const known: string[] = [...declared, ...FIELDS, ...(mode === 'update' ? OF_UPDATES : [])]
  return names
    .filter(name => !known.includes(name) && !name.startsWith(RECORD))
    .map(name => {
      const meant = suggest(name, known)
      const hint = meant === undefined ? '' : ` (did you mean ${JSON.stringify(meant)}?)`
      return `${JSON.stringify(name)} is no attribute of ${procedure}${hint}`
    })
}

const asList = (names: readonly string[]): string => names.map(name => JSON.stringify(name)).join(', ')

/** The error in the header of a file, as a sentence; undefined if it is valid. */
export function headerFault(
  procedure: Procedure,
  header: readonly string[],
  mode: 'create' | 'update',
): string | undefined {
  const twice = header.find((name, at) => header.indexOf(name) !== at)
  const [only = ''] = header
  const [separator] = /[;\t|]/.exec(only) ?? []
  if (header.length === 1 && separator !== undefined)
    return `there is one column, ${asList(header)}: cells are separated by commas, not by ${JSON.stringify(separator)}`
  if (header.some(name => name === '')) return 'a column has no name'
  if (twice !== undefined) return `there are two columns ${JSON.stringify(twice)}`
  if (mode === 'create') return undefined
  const record = header.find(name => name.startsWith(RECORD))
  if (record !== undefined) return `${record}: the customer of a process is given when it is created`
  const { primaryKey } = procedure
  if (header.includes('id') || (primaryKey !== null && header.includes(primaryKey))) return undefined
  const needed = primaryKey === null ? 'id' : `${primaryKey} or id`
  return `no column says which process a row is about: ${needed} is needed, and there are ${asList(header)}`
}

/** An item of a bulk request. An empty cell changes nothing. */
export function itemOf(
  procedure: Procedure,
  header: readonly string[],
  cells: readonly string[],
  mode: 'create' | 'update',
): Values {
  const key = mode === 'create' ? undefined : header.includes('id') ? 'id' : procedure.primaryKey
  const changes: Changes = {}
  const name: Values = {}
  for (const [at, column] of header.entries()) {
    const text = cells[at] ?? ''
    if (text === '') continue
    if (column === key) name[column] = text
    else if (column === 'isDeleted' && mode === 'update') changes[column] = text.toLowerCase() === 'true'
    else setField(changes, procedure, column, text)
  }
  return mode === 'create' ? changes : { ...name, update: changes }
}
