import { type SQL, sql } from 'drizzle-orm'
import type { Procedure, Slot } from '../../procedure/model.ts'
import { listIndexedNames, readWordsByName, selectChangedWords } from '../../procedure/search/index-words.ts'
import { FIELDS, toStatusNumber, WRITABLE_FIELDS, type WritableField } from '../fields.ts'
import type { Change } from '../rules.ts'
import { type ProcessColumns, toSlotName } from '../table.ts'

/** The columns that an update sets besides the document. Only those that were sent, because setting one costs a row written. */
export interface UpdatedColumns {
  slots: number[]
  clearedSlots: number[]
  fields: WritableField[]
  primaryKey: boolean
  record: boolean
  /** True only for a change that restores it. */
  completedAt: boolean
  words: boolean
}

export function listUpdatedColumns(procedure: Procedure, change: Change): UpdatedColumns {
  const { slots } = procedure
  const listSlots = (names: readonly string[]) =>
    names.flatMap(name => (Object.hasOwn(slots, name) ? (slots[name] ?? []) : []))
  const inOrder = (some: readonly Slot[]) => some.map(({ column }) => column).sort((a, b) => a - b)
  const set = listSlots(Object.keys(change.set))
  return {
    slots: inOrder(set.filter(({ listPath }) => !listPath)),
    // The elements of a list have rows of their own, whatever an older definition put into the column.
    clearedSlots: inOrder([...listSlots(change.unset), ...set.filter(({ listPath }) => listPath)]),
    fields: WRITABLE_FIELDS.filter(name => change[name] !== undefined),
    primaryKey: change.primaryKey !== undefined,
    record: change.record !== undefined,
    completedAt: change.completedAt !== undefined,
    words: listIndexedNames(procedure).some(name => Object.hasOwn(change.set, name) || change.unset.includes(name)),
  }
}

/** Returns the values of the columns that `listUpdatedColumns` names, as members of one JSON object. */
export function toUpdatedValues(procedure: Procedure, change: Change): Record<string, unknown> {
  const { slots } = procedure
  const { set, unset: _, ...sent } = change
  const words = readWordsByName(listIndexedNames(procedure), change)
  const fields = words === undefined ? sent : { ...sent, words }
  const entries = Object.entries(slots).filter(([name, { listPath }]) => !listPath && Object.hasOwn(set, name))
  if (entries.length === 0) return fields
  return { ...fields, slots: Object.fromEntries(entries.map(([name, { column }]) => [column, set[name]])) }
}

/** Expressions for the values of columns. */
interface ColumnValues {
  slot: (column: number) => SQL
  field: (name: string) => SQL
  /** JSON, not text. */
  words: SQL
}

/** Reads the values of columns out of the JSON of `toUpdatedValues`, in SQL. */
export const selectMembers = (value: SQL): ColumnValues => ({
  slot: column => sql`${value} ->> ${sql.raw(`'$.slots."${column}"'`)}`,
  field: name => sql`${value} ->> ${sql.raw(`'$.${name}'`)}`,
  words: sql`${value} -> '$.words'`,
})

/** Assigns each column its new value. */
export function assignColumns(
  columns: UpdatedColumns,
  { slot, field, words, document, now }: ColumnValues & Record<'document' | 'now', SQL>,
) {
  const completed = sql.raw(String(toStatusNumber('COMPLETED')))
  const assigned: ProcessColumns = { data: document }
  for (const column of columns.slots) assigned[toSlotName(column)] = slot(column)
  for (const column of columns.clearedSlots) assigned[toSlotName(column)] = sql`NULL`
  for (const name of columns.fields) assigned[name] = field(name)
  if (columns.primaryKey) assigned.primaryKey = field('primaryKey')
  if (columns.record) assigned.record = field('record')
  if (columns.words) assigned.words = selectChangedWords(words)
  if (columns.completedAt) assigned.completedAt = field('completedAt')
  else if (columns.fields.includes('status'))
    assigned.completedAt = sql`iif(${field('status')} <> ${completed}, 0, iif(${FIELDS.status.column} = ${completed}, ${FIELDS.completedAt.column}, ${now}))`
  return assigned
}
