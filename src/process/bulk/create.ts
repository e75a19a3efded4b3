import { sql } from 'drizzle-orm'
import type { Outcome } from '../../background-job/entry.ts'
import { failureOf, outcomeOf } from '../../background-job/entry.ts'
import type { Step } from '../../background-job/kind.ts'
import { select } from '../../db/statement.ts'
import { type Fault, invalid } from '../../errors.ts'
import { newId, RID_TAIL } from '../../ids.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import { wordsOfStep } from '../../procedure/search/index-words.ts'
import { planRecords } from '../../record/operations.ts'
import type { Scope } from '../../scope.ts'
import { findUsers } from '../../user/reference.ts'
import { newProcess } from '../operations.ts'
import { duplicate } from '../refusals.ts'
import { derivedOfInserts, insertProcesses } from '../rows/insert.ts'
import { type Change, missingAttributes, planChange } from '../rules.ts'
import type { CreateProcess } from '../schema.ts'
import { process } from '../table.ts'
import { recordFaults } from '../validate.ts'
import { guardCount, writeStepWithRetry } from './step-conflict.ts'
import { namedUsers, resolveUser, successResult } from './update-rules.ts'

/** An entry, validated against the procedure. */
interface CreatePlan {
  change: Change
  record: Record<string, unknown> | null
  faults: Fault[]
}

/** Creates the processes of a step, by the rules of the single route and in their order. */
export const runCreates = ({ scope, procedure: reference, entries, commit }: Step): Promise<void> =>
  withProcedure(scope, reference, procedure => {
    const plans = entries.map(({ apiData }) => planCreate(procedure, apiData.processCreate as CreateProcess))
    return writeStepWithRetry(plans.length, async () => {
      const prefetched = {
        users: await findUsers(scope, namedUsers(plans)),
        holders: await findHolders(scope, procedure, plans),
      }
      const { outcomes, made } = decideCreates(scope, procedure, plans, prefetched)
      const { rids, effect } = await planRecords(
        scope,
        made.map(({ record }) => record),
      )
      const processes = made.map(({ id, change }, nth) =>
        newProcess(procedure, change, { ...scope, id, record: rids[nth] ?? null }),
      )
      const insert =
        processes.length > 0
          ? [
              insertProcesses(scope, procedure, processes),
              guardCount(processes.length),
              ...wordsOfStep(
                procedure,
                processes.map(({ rid, set }) => ({ rid, names: Object.keys(set) })),
              ),
              ...derivedOfInserts(procedure, processes).after,
            ]
          : []
      await commit({ outcomes, statements: [guardDefinition(procedure), ...effect, ...insert] })
    })
  })

function planCreate(procedure: Procedure, { record, ...sent }: CreateProcess): CreatePlan {
  const { change, faults } = planChange(procedure, sent)
  const data = record?.data ?? null
  return {
    change,
    record: data,
    faults: [...faults, ...missingAttributes(procedure, change), ...recordFaults(data ?? {})],
  }
}

interface Prefetched {
  users: Map<string, string>
  /** The ids of processes that hold a primary key. */
  holders: Map<string, string>
}

/** New processes of one millisecond get consecutive numbers from a random start: so they never collide with each other. */
function decideCreates(
  scope: Scope,
  procedure: Procedure,
  plans: readonly CreatePlan[],
  { users, holders }: Prefetched,
) {
  const made: { id: string; change: Change; record: CreatePlan['record'] }[] = []
  const start = Math.floor(Math.random() * (RID_TAIL - plans.length))
  const outcomes = plans.map((plan): Outcome => {
    const { change, faults, record } = resolveUser(plan, { users })
    if (faults.length > 0) return outcomeOf(invalid(faults))
    const primaryKey = change.primaryKey ?? null
    const holder = primaryKey === null ? undefined : holders.get(primaryKey)
    if (primaryKey !== null && holder !== undefined)
      return { status: 'ERROR', result: failureOf(duplicate(procedure, primaryKey, holder)) }
    const id = newId(scope.now, start + made.length)
    made.push({ id, change, record })
    if (primaryKey !== null) holders.set(primaryKey, id)
    return { status: 'SUCCESS', result: successResult(id, primaryKey) }
  })
  return { outcomes, made }
}

async function findHolders(scope: Scope, procedure: Procedure, plans: readonly CreatePlan[]) {
  const keys = plans.flatMap(({ change }) => change.primaryKey ?? [])
  if (keys.length === 0) return new Map<string, string>()
  const [found] = await scope.db.read(
    select(
      { id: process.id, key: process.primaryKey },
      sql`FROM json_each(${JSON.stringify(keys)}) wanted
        CROSS JOIN ${process} ON ${process.proc} = ${procedure.no} AND ${process.primaryKey} = wanted.value`,
    ),
  )
  return new Map(found.map(({ key, id }) => [key ?? '', id]))
}
