import { fits } from '../../db/document-size.ts'
import { type TextStatement, textStatement } from '../../db/text-statement.ts'
import type { Procedure } from '../../procedure/model.ts'
import { PROCESS_ROW } from '../row.ts'
import type { Change } from '../rules.ts'
import { changeSets, changeValues } from '../write.ts'

export interface ManyItem {
  rid: number
  change: Change
  /** The document may become too large, so the statement makes sure of it; that costs one row read more for each. */
  mayOutgrow?: boolean | undefined
  /** The state that the decision relied on; the statement leaves alone a process that has left it. */
  state?: string | undefined
}

/** Items that set and remove the same attributes, and touch the same fields, share one statement. */
export function signatureOf({ change, state, mayOutgrow = false }: ManyItem): string {
  const { set, unset, ...fields } = change
  return JSON.stringify([Object.keys(set), unset, Object.keys(fields).sort(), state !== undefined, mayOutgrow])
}

/** Looking up a key walks through those before it, so the items lie in this many drawers. */
const DRAWERS = 16

const inDrawers = (items: readonly ManyItem[]): string => {
  const drawers: Record<string, Record<string, unknown>> = {}
  for (const { rid, change, state } of items) {
    const drawer = String(rid % DRAWERS)
    drawers[drawer] ??= {}
    drawers[drawer][rid] = { ...changeValues(change), was: state }
  }
  return JSON.stringify(drawers)
}

const ITEM = `(?1 -> ('$."' || (process.rid % ${DRAWERS}) || '"."' || process.rid || '"'))`

/** Numbers of our own making, written out: a list of literals reads one row less for each than a list in a parameter. */
export const ridList = (rids: readonly number[]): string => {
  if (!rids.every(Number.isSafeInteger)) throw new Error('a row number is an integer')
  return `(${rids.join(', ')})`
}

/**
 * One statement for any number of updates of one signature: two rows read for each, half of what a join with the items
 * takes. What it must have changed is for the caller to make sure of.
 */
export function updateManyStatement(procedure: Procedure, items: readonly ManyItem[], now: number): TextStatement {
  const [first] = items
  if (!first) throw new Error('an update statement needs an item')
  const inState = first.state === undefined ? '' : ` AND state = ${ITEM} ->> '$.was'`
  return textStatement(
    `UPDATE process SET ${changeSets(procedure, ITEM, first.change)}
      WHERE rid IN ${ridList(items.map(({ rid }) => rid))} AND +proc = ?2${inState}
      ${first.mayOutgrow ? `RETURNING ${fits('process.data', 'process')}` : ''}`,
    inDrawers(items),
    procedure.no,
    now,
  )
}

/** Copies processes out of the way, then takes them away. */
export const trashManyStatements = (procedure: Procedure, rids: readonly number[], now: number): TextStatement[] => [
  textStatement(
    `INSERT OR REPLACE INTO process_trash (rid, id, proc, deleted_at, row)
      SELECT rid, id, proc, ?2, jsonb(${PROCESS_ROW}) FROM process WHERE rid IN ${ridList(rids)} AND +proc = ?1`,
    procedure.no,
    now,
  ),
  textStatement(`DELETE FROM process WHERE rid IN ${ridList(rids)} AND +proc = ?1`, procedure.no),
]
