import type { Config, Procedure } from 'caseworker'
import type { ProcedureAttribute } from '../../api/procedure.ts'
import { formatUserName } from '../../api/user-name.ts'
import { type FilterKind, getTypeRules } from '../../parts/attribute/types.ts'
import type { Choice } from '../../parts/choice/choices.tsx'
import type { Operator } from './filter-tree.ts'

/** A field by which processes can be found. */
export interface FilterField {
  id: string
  label: string
  group: 'Process' | 'Customer' | 'Attributes'
  kind: FilterKind
  /** The choices of a field with choices, or of a list of them. */
  choices?: Choice[]
  /** True if its values are numbers; choices have them as text in the form. */
  isNumeric?: boolean
  mayBeUnset: boolean
}

const STATUSES: Choice[] = [
  { value: 'OPEN', label: 'Open' },
  { value: 'COMPLETED', label: 'Completed' },
  { value: 'CANCELLED', label: 'Cancelled' },
]

/** Every field that a filter of the procedure may name. */
export function listFilterFields(procedure: Procedure, users: Config['users']): FilterField[] {
  const states = procedure.states.map(({ shortId, name }) => ({ value: shortId, label: name }))
  const people = users.map(user => ({ value: user.id, label: formatUserName(user) }))
  const ofProcess = (id: string, label: string, kind: FilterKind, more: Partial<FilterField> = {}): FilterField => ({
    id,
    label,
    group: 'Process',
    kind,
    mayBeUnset: false,
    ...more,
  })
  const ofCustomer = { group: 'Customer', kind: 'exact' } as const
  return [
    ofProcess('state', 'State', 'choice', { choices: states }),
    ofProcess('status', 'Status', 'choice', { choices: STATUSES }),
    ofProcess('assignedTo', 'Assignee', 'choice', { choices: people, mayBeUnset: true }),
    ofProcess('nextActionAt', 'Next action', 'moment', { mayBeUnset: true }),
    ofProcess('createdAt', 'Created', 'moment'),
    ofProcess('updatedAt', 'Changed', 'moment'),
    ofProcess('id', 'Id', 'exact'),
    // The id tells whether there is a customer: the number and the address can only be compared.
    { id: 'record.phone', label: 'Customer’s phone', mayBeUnset: false, ...ofCustomer },
    { id: 'record.email', label: 'Customer’s e-mail', mayBeUnset: false, ...ofCustomer },
    { id: 'record', label: 'Customer’s id', mayBeUnset: true, ...ofCustomer },
    ...procedure.attributes.map(each => toFilterField(each, people)),
  ]
}

function toFilterField({ shortId, name, type, values }: ProcedureAttribute, people: Choice[]): FilterField {
  const choices = type === 'user' ? people : values?.map(each => ({ value: String(each), label: String(each) }))
  return {
    id: shortId,
    label: name,
    group: 'Attributes',
    kind: getTypeRules(type).filter,
    ...(choices ? { choices } : {}),
    isNumeric: getTypeRules(type).isNumber === true,
    mayBeUnset: true,
  }
}

/** A filter from elsewhere may name a field that the procedure does not declare. */
export const createNamedField = (id: string): FilterField => ({
  id,
  label: id,
  group: 'Attributes',
  kind: 'text',
  mayBeUnset: true,
})

const ANY: readonly [Operator, string][] = [
  ['=', 'is any of'],
  ['!=', 'is none of'],
]
const RANGE: readonly [Operator, string][] = [
  ['>=', 'is at least'],
  ['>', 'is more than'],
  ['<=', 'is at most'],
  ['<', 'is less than'],
]
const EQUAL: readonly [Operator, string][] = [
  ['=', 'is'],
  ['!=', 'is not'],
]
const WHEN: readonly [Operator, string][] = [
  ['>=', 'is from'],
  ['<', 'is before'],
  ['>', 'is after'],
  ['<=', 'is until'],
]
const PRESENCE: readonly [Operator, string][] = [
  ['set', 'is set'],
  ['unset', 'is not set'],
]

const OF_KIND: Record<FilterKind, readonly (readonly [Operator, string])[]> = {
  text: [
    ...EQUAL,
    ['contains', 'contains'],
    ['startsWith', 'starts with'],
    ['>=', 'from (text)'],
    ['<', 'before (text)'],
  ],
  exact: EQUAL,
  number: [...EQUAL, ...RANGE],
  moment: [...WHEN, ...EQUAL],
  date: [...EQUAL, ...WHEN],
  time: [...EQUAL, ...WHEN],
  boolean: EQUAL,
  choice: ANY,
  list: [
    ['=', 'has any of'],
    ['!=', 'has none of'],
  ],
  presence: [],
}

export const listOperators = ({ kind, mayBeUnset }: FilterField): { value: Operator; label: string }[] =>
  [...OF_KIND[kind], ...(mayBeUnset ? PRESENCE : [])].map(([value, label]) => ({ value, label }))
