import { type SQL, sql } from 'drizzle-orm'
import { type RootField, STATUSES, type Status } from '../procedure/model.ts'
import { process } from './table.ts'

/**
 * What a field holds, and so how it is stored, sent and compared: a status is stored as its number, a state is one of
 * the procedure's, a user is stored by id, a time is epoch milliseconds.
 */
export type FieldKind = 'record' | 'id' | 'status' | 'state' | 'user' | 'time' | 'number' | 'text'

type Columns = (typeof process)['$inferSelect']
/** The columns of the table but for the row number, the owners, the record, the slots, the document, its words, its lists and what concerns events. */
type FieldName = Exclude<
  keyof Columns,
  'rid' | 'team' | 'proc' | 'record' | 'data' | 'words' | 'longestList' | 'lastEvent' | 'notifiedDueAt' | `s${number}`
>

interface FieldDeclaration {
  /** The column says also whether a process may have no value; `table.ts` says whether there is an index. */
  column: (typeof process)[FieldName]
  kind: FieldKind
  /** Whether a create and an update may set it. */
  writable: boolean
  /** Whether a response shows it. */
  shown: boolean
  /** Whether a query filters and sorts by it. Then `ROOT_FIELDS` of `procedure/model.ts` reserves its name. */
  queried: boolean
}

/**
 * The one declaration of each root field. A new one comes last, because `rows/outcome.ts` stores them by their places.
 * Row, SET, INSERT, restore, filter and sort are made from it; `schema.ts`,
 * `docs.ts`, `rows/members.ts` and the client's columns do not compile without theirs.
 */
export const FIELDS = {
  id: { column: process.id, kind: 'id', writable: false, shown: true, queried: true },
  status: { column: process.status, kind: 'status', writable: true, shown: true, queried: true },
  state: { column: process.state, kind: 'state', writable: true, shown: true, queried: true },
  nextActionAt: { column: process.nextActionAt, kind: 'time', writable: true, shown: true, queried: true },
  assignedTo: { column: process.assignedTo, kind: 'user', writable: true, shown: true, queried: true },
  createdBy: { column: process.createdBy, kind: 'user', writable: false, shown: true, queried: false },
  completedAt: { column: process.completedAt, kind: 'time', writable: false, shown: true, queried: false },
  updatedAt: { column: process.updatedAt, kind: 'time', writable: false, shown: true, queried: true },
  version: { column: process.version, kind: 'number', writable: false, shown: false, queried: false },
  primaryKey: { column: process.primaryKey, kind: 'text', writable: false, shown: false, queried: false },
} as const satisfies Record<FieldName, FieldDeclaration>

export type Field = keyof typeof FIELDS
type Having<Property extends 'writable' | 'shown' | 'queried'> = {
  [Name in Field]: (typeof FIELDS)[Name][Property] extends true ? Name : never
}[Field]
export type WritableField = Having<'writable'>
export type ShownField = Having<'shown'>

/** The values of the fields in a row. */
export type StoredFields = Pick<Columns, Field>

/** A name that a query uses, and that is declared here. The time of creation is read off the id, so it has no column. */
type QueriedField = Exclude<RootField, 'createdAt'>

export const getFieldKind = (root: RootField | 'record'): FieldKind => {
  if (root === 'record') return 'record'
  return root === 'createdAt' ? 'time' : FIELDS[root].kind
}
export const isNullable = (root: RootField | 'record'): boolean =>
  root === 'record' || (root !== 'createdAt' && !FIELDS[root].column.notNull)

export const FIELD_NAMES = Object.keys(FIELDS) as Field[]
export const WRITABLE_FIELDS = FIELD_NAMES.filter((name): name is WritableField => FIELDS[name].writable)
/** The fields that queries use. The type checks that each field declared as queried is a name that queries know. */
export const QUERIED_FIELDS: readonly QueriedField[] = FIELD_NAMES.filter(
  (name): name is Having<'queried'> => FIELDS[name].queried,
)

/** The columns of the fields, by name. */
export const FIELD_COLUMNS = Object.fromEntries(FIELD_NAMES.map(name => [name, FIELDS[name].column])) as {
  [Name in Field]: (typeof FIELDS)[Name]['column']
}

/** The values to which a change sets fields, as they are stored. */
export type FieldChanges = Partial<Pick<StoredFields, WritableField>>

export const toStatusNumber = (status: Status): number => STATUSES.indexOf(status) + 1
export const toStatus = (number: number): Status => STATUSES[number - 1] ?? 'OPEN'
/** `toStatus` in SQL. */
export const STATUS_WORD: SQL = sql`CASE ${process.status} ${sql.raw(
  STATUSES.map(word => `WHEN ${toStatusNumber(word)} THEN '${word}'`).join(' '),
)} END`

/** Picks from a body the fields that can be written. A status becomes its number, everything else stays as it was sent. */
export function toStoredChanges(sent: { [Name in WritableField]?: unknown }): FieldChanges {
  const named = WRITABLE_FIELDS.filter(name => sent[name] !== undefined)
  if (named.length === 0) return {}
  return Object.fromEntries(
    named.map(name => [name, FIELDS[name].kind === 'status' ? toStatusNumber(sent[name] as Status) : sent[name]]),
  )
}
