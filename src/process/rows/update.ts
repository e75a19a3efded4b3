import { type SQL, sql } from 'drizzle-orm'
import { type ChangeShape, getChangeShape, selectChangedDocument, toDocumentChange } from '../../db/document/change.ts'
import { checkSize } from '../../db/document/size.ts'
import { assignments, type Bindable, cacheByShape, prepared, returning, type Statement } from '../../db/statement.ts'
import { lastTime, setByLastEvent } from '../../event/append.ts'
import { ifDefinitionHolds } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { toStatusNumber } from '../fields.ts'
import { processRow } from '../row.ts'
import { type Change, listAllowedStates, listReopenedStates } from '../rules.ts'
import { process } from '../table.ts'
import { insertUpdateEvent } from './append-events.ts'
import { type DerivedRows, deriveChanged } from './derived.ts'
import { type Tag, type Target, whereTag, whereTarget } from './target.ts'
import {
  assignColumns,
  listUpdatedColumns,
  selectMembers,
  toUpdatedValues,
  type UpdatedColumns,
} from './updated-columns.ts'

export interface Update {
  target: Target
  change: Change
  ifTag?: Tag | undefined
}

interface UpdateShape {
  columns: UpdatedColumns
  document: ChangeShape
  condition: Condition
}

type PreparedUpdate = (values: Record<string, Bindable>) => Statement<{ row: string; size: string }>

const getPrepared = cacheByShape<PreparedUpdate>()

/** Derives the rows of a process that `updateProcessRow` changes. `written` and the time find it afterwards. */
export const deriveUpdate = (procedure: Procedure, update: Update, written: Target, now: number): DerivedRows =>
  deriveChanged(procedure, [{ change: update.change }], {
    before: () => whereWillUpdate(procedure, update),
    after: () => whereUpdated(procedure, written, now),
  })

/** Matches the process after `updateProcessRow`, if that changed it. Others may have changed it as well since the time was read. */
export const whereUpdated = ({ no }: Procedure, written: Target, now: number): SQL =>
  sql`${whereTarget({ proc: no, ...written })} AND ${process.updatedAt} >= ${now}`

/** The conditions under which `updateProcessRow` changes a process. */
interface Condition {
  byKey: boolean
  ifTag: boolean
  ifState: boolean
  /** Whether the change reopens a process in one of `listReopenedStates`. */
  mayReopen: boolean
}

/** Selects the status after a change that may reopen the process, which only the database can tell. */
const selectReopenedStatus = (states: SQL): SQL =>
  sql`iif(${whereInStates(states)}, ${sql.raw(String(toStatusNumber('OPEN')))}, ${process.status})`

function prepareCondition(procedure: Procedure, { target, change, ifTag }: Update) {
  const from = listAllowedStates(procedure, change)
  const reopened = listReopenedStates(procedure, change)
  const condition: Condition = {
    byKey: 'primaryKey' in target,
    ifTag: ifTag !== undefined,
    ifState: from !== undefined,
    mayReopen: reopened.length > 0,
  }
  const values: Record<string, Bindable> = {
    proc: procedure.no,
    ...target,
    ...(from ? { from: JSON.stringify(from) } : {}),
    ...(reopened.length > 0 ? { reopened: JSON.stringify(reopened) } : {}),
    ...(ifTag ? { version: ifTag.version, record: ifTag.record } : {}),
  }
  return { condition, values }
}

function buildCondition({ byKey, ifTag, ifState }: Condition, value: (name: string) => SQL): SQL {
  const proc = value('proc')
  const conditions = [
    whereTarget(byKey ? { proc, primaryKey: value('primaryKey') } : { proc, rid: value('rid'), id: value('id') }),
    ...(ifState ? [whereInStates(value('from'))] : []),
    ...(ifTag ? [whereTag({ version: value('version'), record: value('record') })] : []),
  ]
  return sql.join(conditions, sql` AND `)
}

function whereWillUpdate(procedure: Procedure, update: Update): SQL {
  const { condition, values } = prepareCondition(procedure, update)
  return buildCondition(condition, name => sql`${values[name]}`)
}

/** Appends the event of the update before it, only if `updateProcessRow` will change the process. */
export function insertEventBeforeUpdate(scope: Scope, procedure: Procedure, update: Update): Statement {
  const { condition, values } = prepareCondition(procedure, update)
  return insertUpdateEvent(scope, procedure, update.change, {
    shape: JSON.stringify(condition),
    values,
    sql: value => buildCondition(condition, value),
    ...(condition.mayReopen && { status: value => selectReopenedStatus(value('reopened')) }),
  })
}

const whereInStates = (states: SQL): SQL => sql`${process.state} IN (SELECT value FROM json_each(${states}))`

/**
 * Sets attributes by key inside the statement, so that simultaneous updates of different attributes all survive. Changes
 * the process only if the rules allow it (`toTransitionError` in `rules.ts` tells why not), and then returns it.
 * Another definition fails the transaction, if there is such a process at all.
 */
export function updateProcessRow({ team }: Scope, procedure: Procedure, update: Update): Statement<{ row: string }> {
  const { change } = update
  const { condition, values: ofCondition } = prepareCondition(procedure, update)
  const document = toDocumentChange(change.set, change.unset)
  const shape: UpdateShape = {
    columns: listUpdatedColumns(procedure, change),
    document: getChangeShape(document),
    condition,
  }
  const values: Record<string, Bindable> = {
    ...ofCondition,
    definition: procedure.version,
    team: team.no,
    item: JSON.stringify(toUpdatedValues(procedure, change)),
  }
  for (const [nth, group] of document.set.entries()) values[`set${nth}`] = JSON.stringify(group)
  for (const [nth, group] of document.removed.entries()) values[`removed${nth}`] = JSON.stringify(group)
  return getPrepared(JSON.stringify(shape), () => prepareUpdate(shape, Object.keys(values)))(values)
}

const prepareUpdate = ({ columns, document: shape, condition }: UpdateShape, names: string[]): PreparedUpdate =>
  prepared(names, placeholders => {
    const value = (name: string): SQL => placeholders[name] ?? sql`NULL`
    const document = selectChangedDocument(sql`${process.data}`, shape, {
      set: shape.set.map((_, nth) => value(`set${nth}`)),
      removed: shape.removed.map((_, nth) => value(`removed${nth}`)),
    })
    const holds = ifDefinitionHolds({ no: value('proc'), version: value('definition') })
    const members = selectMembers(value('item'))
    const status = selectReopenedStatus(value('reopened'))
    const assigned = assignments(process, {
      ...assignColumns(condition.mayReopen ? { ...columns, fields: [...columns.fields, 'status'] } : columns, {
        ...members,
        field: name => (condition.mayReopen && name === 'status' ? status : members.field(name)),
        document,
        now: lastTime(value('team')),
      }),
      version: sql`${process.version} + 1`,
      ...setByLastEvent(process, value('team')),
    })
    return returning(sql`UPDATE ${process} SET ${assigned} WHERE ${buildCondition(condition, value)} AND ${holds}`, {
      size: checkSize(process.data, 'process'),
      row: processRow,
    })
  })
