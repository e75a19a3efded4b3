import type { Step } from '../../background-job/kind.ts'
import { type TextStatement, textStatement } from '../../db/text-statement.ts'
import { ridOf, UUID } from '../../ids.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { findUsers } from '../../user/reference.ts'
import { otherKey } from '../reference.ts'
import { type Change, planChange } from '../rules.ts'
import type { UpdateProcess } from '../schema.ts'
import { guardCount, untilNoRace } from './conflict.ts'
import { decideUpdates, type Known, type PlannedUpdate, type Seen, type Wave } from './update-rules.ts'
import { type ManyItem, ridList, signatureOf, trashManyStatements, updateManyStatement } from './write-many.ts'

interface UpdateData {
  processId?: string
  primaryKeyShortId?: string
  primaryKeyValue?: string
  processUpdate: UpdateProcess
}

/** Updates and deletes what the entries of a step name, by the rules of the single routes and in their order. */
export const runUpdates = ({ scope, procedure: reference, entries, commit }: Step): Promise<void> =>
  withProcedure(scope, reference, procedure => {
    const planned = entries.map(({ apiType, apiData }) =>
      plan(procedure, apiData as unknown as UpdateData, apiType === 'PROCESS_DELETE'),
    )
    return untilNoRace(planned.length, async () => {
      const { outcomes, waves } = decideUpdates(procedure, planned, await load(scope, procedure, planned))
      const statements = waves.flatMap(wave => writeWave(procedure, wave, scope.now))
      await commit({ outcomes, statements: [guardDefinition(procedure), ...statements] })
    })
  })

function plan(procedure: Procedure, data: UpdateData, isDelete: boolean): PlannedUpdate {
  const { processId, primaryKeyShortId, primaryKeyValue = '' } = data
  const name = processId ?? primaryKeyValue
  const isId = processId !== undefined && UUID.test(processId)
  const target = isId ? { rid: ridOf(processId), id: processId.toLowerCase() } : { primaryKey: name }
  const faults = otherKey(procedure, primaryKeyShortId)
  if (isDelete) return { target, name, faults }
  const planned = planChange(procedure, data.processUpdate)
  return { target, name, change: inOrder(planned.change), faults: [...faults, ...planned.faults] }
}

/** The same attributes in another order are the same signature. */
const inOrder = (change: Change): Change => ({
  ...change,
  set: Object.fromEntries(Object.entries(change.set).sort(([a], [b]) => (a < b ? -1 : 1))),
  unset: [...change.unset].sort(),
})

const COLUMNS =
  'process.rid, process.id, process.state, process.primary_key AS primaryKey, length(process.data) AS bytes'

/** The processes that the entries name, those that hold a primary key which an entry wants, and the users. */
async function load(scope: Scope, procedure: Procedure, planned: readonly PlannedUpdate[]): Promise<Known> {
  const known: Known = { byRid: new Map(), byKey: new Map(), users: new Map() }
  // A UUID that is not of our making may lead beyond all numbers that a row can have.
  const rids = new Set(
    planned.flatMap(({ target }) => ('rid' in target && Number.isSafeInteger(target.rid) ? [target.rid] : [])),
  )
  const keys = new Set(
    planned.flatMap(({ target, change }) => [
      ...('rid' in target ? [] : [target.primaryKey]),
      ...(typeof change?.primaryKey === 'string' ? [change.primaryKey] : []),
    ]),
  )
  const references = planned.flatMap(({ change }) =>
    typeof change?.assignedTo === 'string' ? [change.assignedTo] : [],
  )
  known.users = await findUsers(scope, [...new Set(references)])
  await look(scope, known, [
    ...(rids.size > 0 ? [byRids(procedure, [...rids])] : []),
    ...(keys.size > 0 ? [byKeys(procedure, [...keys])] : []),
  ])
  const missed = planned.flatMap(({ target, name }) => ('rid' in target && !known.byRid.has(target.rid) ? [name] : []))
  if (missed.length > 0 && procedure.primaryKey !== null) await look(scope, known, [byKeys(procedure, missed)])
  return known
}

async function look(scope: Scope, { byRid, byKey }: Known, statements: TextStatement[]): Promise<void> {
  if (statements.length === 0) return
  for (const { rows } of await scope.db.batch(statements))
    for (const row of rows as unknown as Seen[]) {
      const seen = byRid.get(row.rid) ?? row
      byRid.set(row.rid, seen)
      if (row.primaryKey !== null) byKey.set(row.primaryKey, seen)
    }
}

const byRids = (procedure: Procedure, rids: number[]): TextStatement =>
  textStatement(`SELECT ${COLUMNS} FROM process WHERE rid IN ${ridList(rids)} AND +proc = ?1`, procedure.no)

const byKeys = (procedure: Procedure, keys: string[]): TextStatement =>
  textStatement(
    `SELECT ${COLUMNS} FROM json_each(?2) key CROSS JOIN process ON process.proc = ?1 AND process.primary_key = key.value`,
    procedure.no,
    JSON.stringify(keys),
  )

/** Deletes first: they free the primary keys that updates of the same wave may take. */
function writeWave(procedure: Procedure, { deletes, updates }: Wave, now: number): TextStatement[] {
  const groups = new Map<string, ManyItem[]>()
  for (const item of updates) {
    const signature = signatureOf(item)
    const group = groups.get(signature)
    if (group) group.push(item)
    else groups.set(signature, [item])
  }
  return [
    ...(deletes.length > 0 ? [...trashManyStatements(procedure, deletes, now), guardCount(deletes.length)] : []),
    ...[...groups.values()].flatMap(items => [updateManyStatement(procedure, items, now), guardCount(items.length)]),
  ]
}
