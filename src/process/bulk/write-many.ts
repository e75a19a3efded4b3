import { type SQL, sql } from 'drizzle-orm'
import { alignChanges, toDocumentChange } from '../../db/document/change.ts'
import { jsonPath } from '../../db/document/json.ts'
import { checkSize } from '../../db/document/size.ts'
import {
  type RowValues,
  ridList,
  selectRowJson,
  selectRowValue,
  selectRowValues,
  splitRowValues,
} from '../../db/document/values-by-row.ts'
import { assignments, assignmentsFrom, returning, type Statement, statement } from '../../db/statement.ts'
import { lastTime, setByLastEvent } from '../../event/append.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { insertDeletionEvents, insertUpdateEvents } from '../rows/append-events-of-many.ts'
import { type DerivedRows, deriveChanged, deriveRemoved } from '../rows/derived.ts'
import { whereAmong } from '../rows/target.ts'
import { copyToTrash } from '../rows/trash.ts'
import { assignColumns, selectMembers, toUpdatedValues } from '../rows/updated-columns.ts'
import type { Change } from '../rules.ts'
import { type ProcessColumns, process } from '../table.ts'
import type { ChangeForm } from './change-form.ts'

export interface RowDelete {
  rid: number
  id: string
  /** Its place in the job. */
  entry: number
  /** The row of the log with the event that it takes back. */
  undid?: number
}

export interface RowUpdate extends RowDelete {
  change: Change
  form: ChangeForm
  /** `listFormValues` of the change and `state`. */
  values: string
  /** The document may become too large, so the statement makes sure of it; that costs one row read more for each. */
  mayOutgrow: boolean
  /** How large the document may be, before or after. */
  bytes: number
  /** The state that the decision relied on; the statement leaves alone a process that has left it. */
  state: string | undefined
}

/** Updates with one key share one statement. */
export const toGroupKey = ({ form, state, mayOutgrow }: RowUpdate): string =>
  `${form.class} ${state !== undefined} ${mayOutgrow}`

/** Whether updates certainly have one key. Their keys need not be made then, as for almost all of a job. */
export const isAlike = (one: RowUpdate, other: RowUpdate): boolean =>
  one.form === other.form &&
  one.mayOutgrow === other.mayOutgrow &&
  (one.state === undefined) === (other.state === undefined)

/** What the statement sets, and the process' state that the update relied on. */
interface UpdateParts {
  assigned: ProcessColumns
  from: SQL
  stateBefore: SQL
}

/**
 * One statement for the events, and one for any number of updates with one `toGroupKey`: two rows read for each, half of
 * what a join with the values takes. What they must have changed is for the caller to make sure of.
 */
export function updateManyStatements(scope: Scope, procedure: Procedure, updates: readonly RowUpdate[]): Statement[] {
  const [first] = updates
  if (!first) throw new Error('an update statement needs an update')
  const { team } = scope
  const isOneForm = first.form.isOneCall && updates.every(({ form }) => form === first.form)
  const { assigned, from, stateBefore } = isOneForm
    ? assignByPlace(first.form, updates, lastTime(team.no))
    : assignByName(procedure, first.form, updates, lastTime(team.no))
  const set = [
    assignmentsFrom(process, assigned, from),
    assignments(process, {
      version: sql`${process.version} + 1`,
      ...setByLastEvent(process, team.no),
    }),
  ]
  const conditions = [
    sql`${process.rid} IN ${ridList(updates.map(({ rid }) => rid))}`,
    sql`+${process.proc} = ${procedure.no}`,
    ...(first.state === undefined ? [] : [sql`${process.state} = ${stateBefore}`]),
  ]
  const which = sql.join(conditions, sql` AND `)
  const update = sql`UPDATE ${process} SET ${sql.join(set, sql`, `)} WHERE ${which}`
  return [
    insertUpdateEvents(scope, procedure, updates, which),
    first.mayOutgrow ? returning(update, { size: checkSize(process.data, 'process') }) : statement(update),
  ]
}

/** Changes of one form: the statement names the attributes, and each row gives values by their places. */
function assignByPlace(form: ChangeForm, updates: readonly RowUpdate[], now: SQL): UpdateParts {
  const rows = splitRowValues(updates.map(({ rid, values }) => [rid, values]))
  const { value, from } = selectRowJson(process.rid, rows)
  const places = new Map<string, number>(form.fields.map((name, nth) => [name, form.set.length + nth]))
  const named = form.set.length + form.fields.length
  const at = (place = -1): SQL => sql.raw(`'$[${place}]'`)
  const pairs = form.set.map((name, nth) => sql`${jsonPath(name)}, ${value} -> ${at(nth)}`)
  const changed =
    pairs.length === 0 ? sql`${process.data}` : sql`jsonb_set(${process.data}, ${sql.join(pairs, sql`, `)})`
  const removed = form.unset.map(name => sql`${jsonPath(name)}`)
  const document = removed.length === 0 ? changed : sql`jsonb_remove(${changed}, ${sql.join(removed, sql`, `)})`
  const assigned = assignColumns(form.columns, {
    slot: column => sql`${value} ->> ${at(form.places.get(column))}`,
    field: name => sql`${value} ->> ${at(places.get(name))}`,
    words: sql`${value} -> ${at(named)}`,
    document,
    now,
  })
  return { assigned, from, stateBefore: selectState(rows, `$[${form.columns.words ? named + 1 : named}]`) }
}

/** Changes of several forms: each row says which attributes it changes. */
function assignByName(
  procedure: Procedure,
  { columns }: ChangeForm,
  updates: readonly RowUpdate[],
  now: SQL,
): UpdateParts {
  const documents = updates.map(({ change }) => toDocumentChange(change.set, change.unset))
  const { shape, changes } = alignChanges(documents)
  const rows = splitRowValues(
    updates.map(({ rid, change, state }, nth) => [
      rid,
      JSON.stringify({ ...toUpdatedValues(procedure, change), ...changes[nth], stateBefore: state }),
    ]),
  )
  const { value, document, from } = selectRowValues({ rid: process.rid, document: process.data }, rows, shape)
  const assigned = assignColumns(columns, { ...selectMembers(value), document, now })
  return { assigned, from, stateBefore: selectState(rows, '$.stateBefore') }
}

const selectState = (rows: readonly RowValues[], path: string): SQL =>
  sql`${selectRowValue(process.rid, rows)} ->> ${sql.raw(`'${path}'`)}`

/** What follows from any number of updates, at most one of each process. */
export const deriveUpdates = (procedure: Procedure, updates: readonly RowUpdate[]): DerivedRows =>
  deriveChanged(procedure, updates, {
    before: () => sql`+${process.proc} = ${procedure.no}`,
    after: found => whereAmong(procedure, found),
  })

/** Copies processes out of the way, then takes them away. */
export function trashManyStatements(scope: Scope, procedure: Procedure, deletes: readonly RowDelete[]): Statement[] {
  const which = whereAmong(procedure, deletes)
  return [
    ...deriveRemoved(procedure, which),
    insertDeletionEvents(scope, procedure, deletes, which),
    copyToTrash(which, scope),
    statement(sql`DELETE FROM ${process} WHERE ${which}`),
  ]
}
