import type { Procedure, Process, UpdateProcessByIdBody } from 'caseworker'
import { type TypedAttribute, UNDECLARED } from '../attribute/value-text.ts'
import { isSame } from '../form/same.ts'

/** A field of a process, as the history names it: `state`, `data.city`. */
export interface ProcessField {
  path: string
  label: string
  attribute: TypedAttribute
  names?: Readonly<Record<string, string>>
  isRequired: boolean
  isDeclared: boolean
}

const DATA = 'data.'
const STATUSES = { OPEN: 'Open', COMPLETED: 'Completed', CANCELLED: 'Cancelled' }

const root = (path: string, label: string, attribute: TypedAttribute): ProcessField => ({
  path,
  label,
  attribute,
  isRequired: attribute.type === 'stringEnum',
  isDeclared: true,
})

export const rootFields = ({ states }: Procedure): ProcessField[] => [
  { ...root('status', 'Status', { type: 'stringEnum', values: Object.keys(STATUSES) }), names: STATUSES },
  {
    ...root('state', 'State', { type: 'stringEnum', values: states.map(({ shortId }) => shortId) }),
    names: Object.fromEntries(states.map(({ shortId, name }) => [shortId, name])),
  },
  root('assignedTo', 'Assignee', { type: 'user' }),
  root('nextActionAt', 'Next action', { type: 'datetime' }),
]

/** The declared attributes in their order, then those that the process has beside them. */
export function dataFields({ attributes }: Procedure, data: Process['data']): ProcessField[] {
  const declared = attributes.map(attribute => ({
    path: `${DATA}${attribute.shortId}`,
    label: attribute.name,
    attribute,
    isRequired: attribute.required,
    isDeclared: true,
  }))
  const names = new Set(attributes.map(({ shortId }) => shortId))
  const others = Object.keys(data).filter(name => !names.has(name))
  return [...declared, ...others.map(name => toUndeclaredField(name, data[name]))]
}

const toUndeclaredField = (name: string, value: unknown): ProcessField => ({
  path: `${DATA}${name}`,
  label: name,
  attribute: typeof value === 'string' ? { type: 'string' } : UNDECLARED,
  isRequired: false,
  isDeclared: false,
})

const allFields = (procedure: Procedure, data: Process['data']): ProcessField[] => [
  ...rootFields(procedure),
  ...dataFields(procedure, data),
]

/** The field that the history names; of a customer, or of an attribute that is gone, by its name alone. */
export const fieldNamed = (procedure: Procedure, path: string): ProcessField =>
  allFields(procedure, {}).find(field => field.path === path) ?? {
    path,
    label: path === 'record' ? 'Customer' : path.startsWith(DATA) ? path.slice(DATA.length) : path,
    attribute: UNDECLARED,
    isRequired: false,
    isDeclared: false,
  }

const ROOT_NAMES = ['status', 'state', 'assignedTo', 'nextActionAt'] as const

export function valueAt(process: Process, path: string): unknown {
  if (path.startsWith(DATA)) return process.data[path.slice(DATA.length)] ?? null
  if (path === 'record') return process.record?.id ?? null
  const name = ROOT_NAMES.find(each => each === path)
  return name === undefined ? null : process[name]
}

/** The body of an update that gives one field a value; null removes it. */
export const buildBody = (path: string, value: unknown): UpdateProcessByIdBody =>
  path.startsWith(DATA) ? { data: { [path.slice(DATA.length)]: value } } : { [path]: value }

/** Returns the pointer by which the API names a fault of the field. */
export const toPointer = (path: string): string =>
  `/body/${path.startsWith(DATA) ? `data/${path.slice(DATA.length).replaceAll('~', '~0').replaceAll('/', '~1')}` : path}`

export interface Difference {
  path: string
  from: unknown
  to: unknown
}

/** The fields that have other values in `to`. The customer is left out: no update changes it. */
export function differences(from: Process, to: Process): Difference[] {
  const names = new Set([...Object.keys(from.data), ...Object.keys(to.data)])
  const paths = [...ROOT_NAMES, ...[...names].map(name => `${DATA}${name}`)]
  return paths
    .map(path => ({ path, from: valueAt(from, path), to: valueAt(to, path) }))
    .filter(each => !isSame(each.from, each.to))
}
