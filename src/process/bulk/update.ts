import { type SQL, sql } from 'drizzle-orm'
import type { Step } from '../../background-job/kind.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import { type Statement, select } from '../../db/statement.ts'
import { ridOf, UUID } from '../../ids.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { findUsers } from '../../user/reference.ts'
import { announceTimes, type TellTimes } from '../due/tell.ts'
import { wrongKeyFaults } from '../reference.ts'
import { isAmong } from '../rows/target.ts'
import { planChange } from '../rules.ts'
import type { UpdateProcess } from '../schema.ts'
import { process } from '../table.ts'
import { guardCount, writeStepWithRetry } from './step-conflict.ts'
import { decideUpdates, namedUsers, type Prefetched, type UpdatePlan, type WritePass } from './update-rules.ts'
import { derivedOfUpdates, trashManyStatements, updateManyStatements } from './write-many.ts'

/** `apiData` of an entry, as `UpdateData` and `DeleteData` of `schema.ts` have it. */
interface UpdateEntry {
  processId?: string
  primaryKeyShortId?: string
  primaryKeyValue?: string
  processUpdate: UpdateProcess
}

/** Updates and deletes what the entries of a step name, by the rules of the single routes and in their order. */
export const runUpdates = (
  tellTimes: TellTimes,
  { scope, procedure: reference, entries, commit }: Step,
): Promise<void> =>
  withProcedure(scope, reference, procedure => {
    const plans = entries.map(({ apiType, apiData, index }) => ({
      ...planUpdate(procedure, apiData as unknown as UpdateEntry, apiType === 'PROCESS_DELETE'),
      entry: index,
    }))
    return writeStepWithRetry(plans.length, async () => {
      const { outcomes, passes } = decideUpdates(procedure, plans, await prefetch(scope, procedure, plans))
      const statements = passes.flatMap(pass => passStatements(scope, procedure, pass))
      const changed = passes.flatMap(({ groups }) => groups.flatMap(({ rows }) => rows))
      const timed = changed.map(({ rid, change: { status, nextActionAt } }) => ({ rid, status, nextActionAt }))
      const due = await announceTimes(scope, procedure, tellTimes, timed, some => isAmong(procedure, some))
      await commit({ outcomes, statements: [guardDefinition(procedure), ...statements, ...due] })
    })
  })

function planUpdate(procedure: Procedure, data: UpdateEntry, isDelete: boolean): Omit<UpdatePlan, 'entry'> {
  const { processId, primaryKeyShortId, primaryKeyValue = '' } = data
  const name = processId ?? primaryKeyValue
  const isId = processId !== undefined && UUID.test(processId)
  const target = isId ? { rid: ridOf(processId), id: processId.toLowerCase() } : { primaryKey: name }
  const faults = wrongKeyFaults(procedure, primaryKeyShortId)
  if (isDelete) return { target, name, faults }
  const planned = planChange(procedure, data.processUpdate)
  return { target, name, change: planned.change, faults: [...faults, ...planned.faults] }
}

type StateValues = [rid: number, id: string, state: string, primaryKey: string | null, bytes: number]

/** All of them in one text: a row of its own for each would take longer on its way than in the database. */
const selectStates = (from: SQL) =>
  select(
    {
      states: sql<string>`json_group_array(json_array(${process.rid}, ${process.id}, ${process.state},
        ${process.primaryKey}, length(${process.data})))`,
    },
    from,
  )

/** The processes that the entries name, those that hold a primary key which an entry wants, and the users. */
async function prefetch(scope: Scope, procedure: Procedure, plans: readonly UpdatePlan[]): Promise<Prefetched> {
  const users = await findUsers(scope, namedUsers(plans))
  const found: Prefetched = { byRid: new Map(), byKey: new Map(), users }
  // A UUID that is not of our making may lead beyond all numbers that a row can have.
  const rids = new Set<number>()
  const keys = new Set<string>()
  for (const { target, change } of plans) {
    if (!('rid' in target)) keys.add(target.primaryKey)
    else if (Number.isSafeInteger(target.rid)) rids.add(target.rid)
    if (typeof change?.primaryKey === 'string') keys.add(change.primaryKey)
  }
  await prefetchStates(scope, found, [
    ...(rids.size > 0 ? [statesByRid(procedure, [...rids])] : []),
    ...(keys.size > 0 ? [statesByKey(procedure, [...keys])] : []),
  ])
  if (procedure.primaryKey === null) return found
  const missed: string[] = []
  for (const { target, name } of plans) if ('rid' in target && !found.byRid.has(target.rid)) missed.push(name)
  if (missed.length > 0) await prefetchStates(scope, found, [statesByKey(procedure, missed)])
  return found
}

async function prefetchStates(
  scope: Scope,
  { byRid, byKey }: Prefetched,
  statements: Statement<{ states: string }>[],
): Promise<void> {
  if (statements.length === 0) return
  for (const { states } of (await scope.db.read(...statements)).flat()) {
    for (const [rid, id, state, primaryKey, bytes] of JSON.parse(states) as StateValues[]) {
      const known = byRid.get(rid) ?? { rid, id, state, primaryKey, bytes }
      byRid.set(rid, known)
      if (primaryKey !== null) byKey.set(primaryKey, known)
    }
  }
}

const statesByRid = ({ no }: Procedure, rids: number[]): Statement<{ states: string }> =>
  selectStates(sql`FROM ${process} WHERE ${process.rid} IN ${ridList(rids)} AND +${process.proc} = ${no}`)

const statesByKey = ({ no }: Procedure, keys: string[]): Statement<{ states: string }> =>
  selectStates(
    sql`FROM json_each(${JSON.stringify(keys)}) key
      CROSS JOIN ${process} ON ${process.proc} = ${no} AND ${process.primaryKey} = key.value`,
  )

/** Deletes first: they free the primary keys that updates of the same pass may take. */
function passStatements(scope: Scope, procedure: Procedure, { deletes, groups }: WritePass): Statement[] {
  const derived = derivedOfUpdates(
    procedure,
    groups.flatMap(({ rows }) => rows),
  )
  return [
    ...(deletes.length > 0 ? [...trashManyStatements(scope, procedure, deletes), guardCount(deletes.length)] : []),
    ...derived.before,
    ...groups.flatMap(({ rows }) => [...updateManyStatements(scope, procedure, rows), guardCount(rows.length)]),
    ...derived.after,
  ]
}
