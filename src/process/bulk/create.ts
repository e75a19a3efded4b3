import type { Outcome } from '../../background-job/entry.ts'
import { failureOf, outcomeOf } from '../../background-job/entry.ts'
import type { Step } from '../../background-job/kind.ts'
import { textStatement } from '../../db/text-statement.ts'
import { type Fault, invalid } from '../../errors.ts'
import { newId, RID_TAIL, ridOf } from '../../ids.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import { planRecords } from '../../record/operations.ts'
import type { Scope } from '../../scope.ts'
import { findUsers } from '../../user/reference.ts'
import { faultsOfRecord } from '../intake.ts'
import { newItem } from '../operations.ts'
import { duplicate } from '../refusals.ts'
import { type Change, missingAttributes, planChange } from '../rules.ts'
import type { CreateProcess } from '../schema.ts'
import { insertStatement } from '../write.ts'
import { guardCount, untilNoRace } from './conflict.ts'
import { resultOf, withUser } from './update-rules.ts'

interface Planned {
  change: Change
  record: Record<string, unknown> | null
  faults: Fault[]
}

/** Creates the processes of a step, by the rules of the single route and in their order. */
export const runCreates = ({ scope, procedure: reference, entries, commit }: Step): Promise<void> =>
  withProcedure(scope, reference, procedure => {
    const planned = entries.map(({ apiData }) => plan(procedure, apiData.processCreate as CreateProcess))
    return untilNoRace(planned.length, async () => {
      const references = planned.flatMap(({ change }) =>
        typeof change.assignedTo === 'string' ? [change.assignedTo] : [],
      )
      const users = await findUsers(scope, [...new Set(references)])
      const holders = await findHolders(scope, procedure, planned)
      const { outcomes, made } = decide(scope, procedure, planned, { users, holders })
      const records = await planRecords(
        scope,
        made.map(({ record }) => record),
      )
      const items = made.map(({ id, change }, index) => ({
        ...newItem(procedure, change, scope),
        rid: ridOf(id),
        id,
        record: records.rids[index] ?? null,
      }))
      const insert = items.length > 0 ? [insertStatement(procedure, items, scope.now), guardCount(items.length)] : []
      await commit({ outcomes, statements: [guardDefinition(procedure), ...records.statements, ...insert] })
    })
  })

function plan(procedure: Procedure, { record, ...sent }: CreateProcess): Planned {
  const { change, faults } = planChange(procedure, sent)
  const data = record?.data ?? null
  return {
    change,
    record: data,
    faults: [...faults, ...missingAttributes(procedure, change), ...faultsOfRecord(data ?? {})],
  }
}

interface Known {
  users: Map<string, string>
  /** The ids of processes that hold a primary key. */
  holders: Map<string, string>
}

/** New processes of one millisecond get consecutive numbers from a random start: so they never collide with each other. */
function decide(scope: Scope, procedure: Procedure, planned: readonly Planned[], { users, holders }: Known) {
  const made: { id: string; change: Change; record: Planned['record'] }[] = []
  const start = Math.floor(Math.random() * (RID_TAIL - planned.length))
  const outcomes = planned.map((entry): Outcome => {
    const { change, faults, record } = withUser(entry, { users })
    if (faults.length > 0) return outcomeOf(invalid(faults))
    const primaryKey = change.primaryKey ?? null
    const holder = primaryKey === null ? undefined : holders.get(primaryKey)
    if (primaryKey !== null && holder !== undefined)
      return { status: 'ERROR', result: failureOf(duplicate(procedure, primaryKey, holder)) }
    const id = newId(scope.now, start + made.length)
    made.push({ id, change, record })
    if (primaryKey !== null) holders.set(primaryKey, id)
    return { status: 'SUCCESS', result: resultOf(id, primaryKey) }
  })
  return { outcomes, made }
}

async function findHolders(scope: Scope, procedure: Procedure, planned: readonly Planned[]) {
  const keys = planned.flatMap(({ change }) => change.primaryKey ?? [])
  if (keys.length === 0) return new Map<string, string>()
  const [found] = await scope.db.batch([
    textStatement(
      `SELECT process.id, process.primary_key AS key
        FROM json_each(?2) wanted CROSS JOIN process ON process.proc = ?1 AND process.primary_key = wanted.value`,
      procedure.no,
      JSON.stringify(keys),
    ),
  ])
  return new Map((found?.rows ?? []).map(({ key, id }) => [String(key), String(id)]))
}
