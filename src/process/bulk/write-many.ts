import { sql } from 'drizzle-orm'
import { alignChanges, type DocumentChange, documentChange, sizeClassOf } from '../../db/document/change.ts'
import { checkSize } from '../../db/document/size.ts'
import { ridList, rowValues, valueOfRow, valuesOfRow } from '../../db/document/values-by-row.ts'
import { assignments, assignmentsFrom, returning, type Statement, statement } from '../../db/statement.ts'
import type { Procedure } from '../../procedure/model.ts'
import { copyToTrash } from '../rows/trash.ts'
import { assignedColumns, type UpdatedColumns, updatedColumns, updatedValues } from '../rows/updated-columns.ts'
import type { Change } from '../rules.ts'
import { process } from '../table.ts'

export interface RowUpdate {
  rid: number
  columns: UpdatedColumns
  /** Of `columns`, by name. */
  values: Record<string, unknown>
  document: DocumentChange
  /** The document may become too large, so the statement makes sure of it; that costs one row read more for each. */
  mayOutgrow?: boolean | undefined
  /** The state that the decision relied on; the statement leaves alone a process that has left it. */
  state?: string | undefined
}

export const rowUpdate = (
  procedure: Procedure,
  rid: number,
  change: Change,
  more: Pick<RowUpdate, 'mayOutgrow' | 'state'> = {},
): RowUpdate => ({
  ...{ rid, ...more },
  columns: updatedColumns(procedure, change),
  values: updatedValues(procedure, change),
  document: documentChange(change.set, change.unset),
})

/** Updates with one key set the same columns, and change about as many attributes: they share one statement. */
export const groupKeyOf = ({ columns, document, state, mayOutgrow = false }: RowUpdate): string =>
  JSON.stringify([columns, sizeClassOf(document), state !== undefined, mayOutgrow])

/**
 * One statement for any number of updates with one `groupKeyOf`: two rows read for each, half of what a join with the values
 * takes. What it must have changed is for the caller to make sure of.
 */
export function updateManyStatement(procedure: Procedure, updates: readonly RowUpdate[], now: number): Statement {
  const [first] = updates
  if (!first) throw new Error('an update statement needs an update')
  const { shape, changes } = alignChanges(updates.map(({ document }) => document))
  const given = rowValues(
    updates.map(({ rid, values, state }, nth) => [rid, { ...values, ...changes[nth], was: state }]),
  )
  const { value, document, from } = valuesOfRow({ rid: process.rid, document: process.data }, given, shape)
  const assigned = assignedColumns(first.columns, { value, document, now: sql`${now}` })
  const set = [
    assignmentsFrom(process, assigned, from),
    assignments(process, { version: sql`${process.version} + 1`, updatedAt: now }),
  ]
  const conditions = [
    sql`${process.rid} IN ${ridList(updates.map(({ rid }) => rid))}`,
    sql`+${process.proc} = ${procedure.no}`,
    ...(first.state === undefined ? [] : [sql`${process.state} = ${valueOfRow(process.rid, given)} ->> '$.was'`]),
  ]
  const update = sql`UPDATE ${process} SET ${sql.join(set, sql`, `)} WHERE ${sql.join(conditions, sql` AND `)}`
  return first.mayOutgrow ? returning(update, { size: checkSize(process.data, 'process') }) : statement(update)
}

/** Copies processes out of the way, then takes them away. */
export function trashManyStatements(procedure: Procedure, rids: readonly number[], now: number): Statement[] {
  const which = sql`${process.rid} IN ${ridList(rids)} AND +${process.proc} = ${procedure.no}`
  return [copyToTrash(which, now), statement(sql`DELETE FROM ${process} WHERE ${which}`)]
}
