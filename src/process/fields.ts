import { type RootField, STATUSES, type Status } from '../procedure/model.ts'
import { process } from './table.ts'

/**
 * What a field holds, and so how it is stored, sent and compared: a status is stored as its number, a state is one of
 * the procedure's, a user is stored by id, a time is epoch milliseconds.
 */
export type FieldKind = 'id' | 'status' | 'state' | 'user' | 'time' | 'number' | 'text'

interface StoredKinds {
  id: string
  status: number
  state: string
  user: string
  time: number
  number: number
  text: string
}

interface FieldDeclaration {
  column: (typeof process)[FieldName]
  kind: FieldKind
  /** Whether a process may have no value. */
  nullable: boolean
  /** Whether a create and an update may name it. */
  writable: boolean
  /** Whether a response shows it. */
  shown: boolean
  /** Whether a query filters and sorts by it; `ROOT_FIELDS` of the procedure's model reserves its name. */
  queried: boolean
  /** The index over the procedure and this column. A nullable field is indexed where it has a value. */
  index: string | null
}

/** Every column of the table but the row number, the owners, the record, the slots and the document. */
type FieldName = Exclude<
  keyof (typeof process)['$inferSelect'],
  'rid' | 'team' | 'proc' | 'record' | 'data' | `s${number}`
>

/**
 * The one declaration of each root field. Row, SET, INSERT, restore, view, filter and sort are made from it; the
 * compiler asks for what each needs besides: shapes and an example in `schema.ts` and `docs.ts`, a column in `table.ts`.
 */
export const FIELDS = {
  id: { column: process.id, kind: 'id', nullable: false, writable: false, shown: true, queried: true, index: null },
  status: {
    column: process.status,
    kind: 'status',
    nullable: false,
    writable: true,
    shown: true,
    queried: true,
    index: 'process_status',
  },
  state: {
    column: process.state,
    kind: 'state',
    nullable: false,
    writable: true,
    shown: true,
    queried: true,
    index: 'process_state',
  },
  nextActionAt: {
    column: process.nextActionAt,
    kind: 'time',
    nullable: true,
    writable: true,
    shown: true,
    queried: true,
    index: 'process_next_action_at',
  },
  assignedTo: {
    column: process.assignedTo,
    kind: 'user',
    nullable: true,
    writable: true,
    shown: true,
    queried: true,
    index: 'process_assigned_to',
  },
  createdBy: {
    column: process.createdBy,
    kind: 'user',
    nullable: true,
    writable: false,
    shown: true,
    queried: false,
    index: null,
  },
  completedAt: {
    column: process.completedAt,
    kind: 'time',
    nullable: false,
    writable: false,
    shown: true,
    queried: false,
    index: null,
  },
  updatedAt: {
    column: process.updatedAt,
    kind: 'time',
    nullable: false,
    writable: false,
    shown: true,
    queried: true,
    index: null,
  },
  version: {
    column: process.version,
    kind: 'number',
    nullable: false,
    writable: false,
    shown: false,
    queried: false,
    index: null,
  },
  primaryKey: {
    column: process.primaryKey,
    kind: 'text',
    nullable: true,
    writable: false,
    shown: false,
    queried: false,
    index: 'process_primary_key',
  },
} as const satisfies Record<FieldName, FieldDeclaration>

export type Field = keyof typeof FIELDS
type Having<Property extends 'writable' | 'shown' | 'queried'> = {
  [Name in Field]: (typeof FIELDS)[Name][Property] extends true ? Name : never
}[Field]
export type WritableField = Having<'writable'>
export type ShownField = Having<'shown'>

/** What a row holds of a field. */
export type StoredField<Name extends Field> =
  | StoredKinds[(typeof FIELDS)[Name]['kind']]
  | ((typeof FIELDS)[Name]['nullable'] extends true ? null : never)

export type StoredFields = { [Name in Field]: StoredField<Name> }

/** A name that a query uses has a declaration here, and the other way round. The time of creation is read off the id. */
const QUERIED: { [Name in Having<'queried'> | 'createdAt']: true } & Record<RootField, true> = {
  id: true,
  status: true,
  state: true,
  nextActionAt: true,
  assignedTo: true,
  createdAt: true,
  updatedAt: true,
}
export const isRootField = (name: string): name is RootField => Object.hasOwn(QUERIED, name)

export const FIELD_NAMES = Object.keys(FIELDS) as Field[]
export const WRITABLE_FIELDS = FIELD_NAMES.filter((name): name is WritableField => FIELDS[name].writable)

/** The columns of the row, by the names of the fields. */
export const FIELD_COLUMNS = Object.fromEntries(FIELD_NAMES.map(name => [name, FIELDS[name].column])) as {
  [Name in Field]: (typeof FIELDS)[Name]['column']
}

/** What a change sets of the fields, as it is stored. */
export type FieldChanges = { [Name in WritableField]?: StoredField<Name> }

export const statusNumber = (status: Status): number => STATUSES.indexOf(status) + 1
export const statusOf = (number: number): Status => STATUSES[number - 1] ?? 'OPEN'

/** What was sent of the fields that can be written. A status is stored as its number, everything else as it is sent. */
export function storedChanges(sent: { [Name in WritableField]?: unknown }): FieldChanges {
  const named = WRITABLE_FIELDS.filter(name => sent[name] !== undefined)
  return Object.fromEntries(
    named.map(name => [name, FIELDS[name].kind === 'status' ? statusNumber(sent[name] as Status) : sent[name]]),
  )
}
