import { type SQL, sql } from 'drizzle-orm'
import type { Procedure } from '../../procedure/model.ts'
import { FIELDS, statusNumber, WRITABLE_FIELDS, type WritableField } from '../fields.ts'
import type { Change } from '../rules.ts'
import { type ProcessColumns, slotName } from '../table.ts'

/** Which columns an update sets, apart from the document. Only those that were sent: setting one costs a row written. */
export interface UpdatedColumns {
  slots: number[]
  clearedSlots: number[]
  fields: WritableField[]
  primaryKey: boolean
  record: boolean
}

export function updatedColumns({ slots }: Procedure, change: Change): UpdatedColumns {
  const columnsOf = (names: readonly string[]) =>
    names.flatMap(name => (Object.hasOwn(slots, name) ? (slots[name]?.column ?? []) : [])).sort((a, b) => a - b)
  return {
    slots: columnsOf(Object.keys(change.set)),
    clearedSlots: columnsOf(change.unset),
    fields: WRITABLE_FIELDS.filter(name => change[name] !== undefined),
    primaryKey: change.primaryKey !== undefined,
    record: change.record !== undefined,
  }
}

/** The values of the columns that `updatedColumns` names, as members of one JSON. */
export function updatedValues({ slots }: Procedure, change: Change): Record<string, unknown> {
  const { set, unset: _, ...fields } = change
  const entries = Object.entries(slots).filter(([name]) => Object.hasOwn(set, name))
  if (entries.length === 0) return fields
  return { ...fields, slots: Object.fromEntries(entries.map(([name, { column }]) => [column, set[name]])) }
}

/** What each column is set to. `value` is SQL of the JSON of `updatedValues`. */
export function assignedColumns(
  columns: UpdatedColumns,
  { value, document, now }: Record<'value' | 'document' | 'now', SQL>,
) {
  const member = (path: string) => sql`${value} ->> ${sql.raw(`'$.${path}'`)}`
  const completed = sql.raw(String(statusNumber('COMPLETED')))
  const assigned: ProcessColumns = { data: document }
  for (const column of columns.slots) assigned[slotName(column)] = member(`slots."${column}"`)
  for (const column of columns.clearedSlots) assigned[slotName(column)] = sql`NULL`
  for (const name of columns.fields) assigned[name] = member(name)
  if (columns.primaryKey) assigned.primaryKey = member('primaryKey')
  if (columns.record) assigned.record = member('record')
  if (columns.fields.includes('status'))
    assigned.completedAt = sql`iif(${member('status')} <> ${completed}, 0, iif(${FIELDS.status.column} = ${completed}, ${FIELDS.completedAt.column}, ${now}))`
  return assigned
}
