import { suggest } from '../../../suggest.ts'
import type { Procedure } from '../../client.ts'
import type { UpdateProcessByIdBody } from '../../generated/bodies.ts'
import { parseCell, parseTime } from './cell.ts'

/** The columns that are fields of a process, not attributes. */
const IS_FIELD: Record<Exclude<keyof UpdateProcessByIdBody, 'data' | 'record'>, true> = {
  status: true,
  state: true,
  nextActionAt: true,
  assignedTo: true,
}
const FIELDS = Object.keys(IS_FIELD)
export const RECORD_PREFIX = 'record.'

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
  { attributes }: Pick<Procedure, 'attributes'>,
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
    .filter(name => !known.includes(name) && !name.startsWith(RECORD_PREFIX))
    .map(name => {
      const meant = suggest(name, known)
      const hint = meant === undefined ? '' : ` (did you mean ${JSON.stringify(meant)}?)`
      return `${JSON.stringify(name)} is no attribute of ${procedure}${hint}`
    })
}
