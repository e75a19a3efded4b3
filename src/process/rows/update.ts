import { type SQL, sql } from 'drizzle-orm'
import { type ChangeShape, changedDocument, documentChange, shapeOfChange } from '../../db/document/change.ts'
import { checkSize } from '../../db/document/size.ts'
import { assignments, type Bindable, prepared, returning, type Statement } from '../../db/statement.ts'
import { ifDefinitionHolds } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import { processRow } from '../row.ts'
import { allowedFrom, type Change } from '../rules.ts'
import { process } from '../table.ts'
import { type DerivedRows, derivedOfChanged } from './derived.ts'
import { hasTag, isTarget, type Tag, type Target } from './target.ts'
import { assignedColumns, membersOf, type UpdatedColumns, updatedColumns, updatedValues } from './updated-columns.ts'

export interface Update {
  target: Target
  change: Change
  ifTag?: Tag | undefined
}

interface UpdateShape {
  columns: UpdatedColumns
  document: ChangeShape
  byKey: boolean
  ifTag: boolean
  ifState: boolean
}

type Prepared = (values: Record<string, Bindable>) => Statement<{ row: string; size: string }>

/** Statements of shapes that were used already: making the text takes longer than filling it in. */
const made = new Map<string, Prepared>()
const MADE_MAX = 500

/** What follows from a process that `updateProcessRow` changes. `written` finds it after that. */
export const derivedOfUpdate = (procedure: Procedure, update: Update, written: Target): DerivedRows =>
  derivedOfChanged(procedure, [{ change: update.change }], {
    before: () => willChange(procedure, update),
    after: () => isTarget({ proc: procedure.no, ...written }),
  })

/** The conditions of `updateProcessRow`. */
function willChange(procedure: Procedure, { target, change, ifTag }: Update): SQL {
  const from = allowedFrom(procedure, change)
  const conditions = [
    isTarget({ proc: procedure.no, ...target }),
    ...(from ? [isInStates(sql`${JSON.stringify(from)}`)] : []),
    ...(ifTag ? [hasTag(ifTag)] : []),
  ]
  return sql.join(conditions, sql` AND `)
}

const isInStates = (states: SQL): SQL => sql`${process.state} IN (SELECT value FROM json_each(${states}))`

/**
 * Attributes are set by key inside the statement, so that updates of different attributes at the same time all survive.
 * It changes the process only if the rules allow to (`refusal` in `rules.ts` tells why not), and returns it if it did.
 * Another definition fails the transaction, if there is such a process at all.
 */
export function updateProcessRow(
  procedure: Procedure,
  { target, change, ifTag }: Update,
  now: number,
): Statement<{ row: string }> {
  const from = allowedFrom(procedure, change)
  const document = documentChange(change.set, change.unset)
  const shape: UpdateShape = {
    columns: updatedColumns(procedure, change),
    document: shapeOfChange(document),
    byKey: 'primaryKey' in target,
    ifTag: ifTag !== undefined,
    ifState: from !== undefined,
  }
  const values: Record<string, Bindable> = {
    proc: procedure.no,
    definition: procedure.version,
    now,
    ...target,
    item: JSON.stringify(updatedValues(procedure, change)),
    ...(from ? { from: JSON.stringify(from) } : {}),
    ...(ifTag ? { version: ifTag.version, record: ifTag.record } : {}),
  }
  for (const [nth, group] of document.set.entries()) values[`set${nth}`] = JSON.stringify(group)
  for (const [nth, group] of document.removed.entries()) values[`removed${nth}`] = JSON.stringify(group)
  const key = JSON.stringify(shape)
  let statement = made.get(key)
  if (!statement) {
    if (made.size >= MADE_MAX) made.clear()
    statement = prepareUpdate(shape, Object.keys(values))
    made.set(key, statement)
  }
  return statement(values)
}

const prepareUpdate = ({ columns, document: shape, byKey, ifTag, ifState }: UpdateShape, names: string[]): Prepared =>
  prepared(names, placeholders => {
    const value = (name: string): SQL => placeholders[name] ?? sql`NULL`
    const document = changedDocument(sql`${process.data}`, shape, {
      set: shape.set.map((_, nth) => value(`set${nth}`)),
      removed: shape.removed.map((_, nth) => value(`removed${nth}`)),
    })
    const proc = value('proc')
    const conditions = [
      isTarget(byKey ? { proc, primaryKey: value('primaryKey') } : { proc, rid: value('rid'), id: value('id') }),
      ...(ifState ? [isInStates(value('from'))] : []),
      ifDefinitionHolds({ no: proc, version: value('definition') }),
      ...(ifTag ? [hasTag({ version: value('version'), record: value('record') })] : []),
    ]
    const assigned = assignments(process, {
      ...assignedColumns(columns, { ...membersOf(value('item')), document, now: value('now') }),
      version: sql`${process.version} + 1`,
      updatedAt: value('now'),
    })
    return returning(sql`UPDATE ${process} SET ${assigned} WHERE ${sql.join(conditions, sql` AND `)}`, {
      row: processRow,
      size: checkSize(process.data, 'process'),
    })
  })
