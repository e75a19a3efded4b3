import { sql } from 'drizzle-orm'
import type { Outcome } from '../../background-job/entry.ts'
import { failureOf, outcomeOf, withNames } from '../../background-job/entry.ts'
import type { Step } from '../../background-job/kind.ts'
import { select } from '../../db/statement.ts'
import { type Fault, invalid } from '../../errors.ts'
import { newId, RID_TAIL, ridOf } from '../../ids.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import { type WantedRecord, wantedValues } from '../../record/drafts.ts'
import { findIdentities } from '../../record/identity.ts'
import { planRecords } from '../../record/operations.ts'
import type { Scope } from '../../scope.ts'
import { findUsers } from '../../user/reference.ts'
import { faultsOfRecord, wantedByNew } from '../customer.ts'
import { announceTimes, type TellTimes } from '../due/tell.ts'
import { duplicate } from '../refusals.ts'
import { eventsOfNew } from '../rows/events.ts'
import { derivedOfInserts, insertProcesses } from '../rows/insert.ts'
import { newProcess } from '../rows/new-process.ts'
import { isAmong } from '../rows/target.ts'
import { type Change, faultsOfNew, planChange } from '../rules.ts'
import type { CreateProcess } from '../schema.ts'
import { process } from '../table.ts'
import { namedUsers } from '../users.ts'
import { recordFaults } from '../validate.ts'
import { countInStep } from './merged-records.ts'
import { guardCount, writeStepWithRetry } from './step-conflict.ts'
import { withUsers } from './update-rules.ts'

/** An entry, validated against the procedure. */
interface CreatePlan {
  /** Its place in the job. */
  entry: number
  change: Change
  wanted: WantedRecord | null
  faults: Fault[]
}

/** Creates the processes of a step, by the rules of the single route and in their order. */
export const runCreates = (
  tellTimes: TellTimes,
  { scope, procedure: reference, entries, commit }: Step,
): Promise<void> =>
  withProcedure(scope, reference, procedure => {
    const plans = entries.map(({ apiData, index }) =>
      planCreate(procedure, apiData.processCreate as CreateProcess, index),
    )
    return writeStepWithRetry(plans.length, async () => {
      const known = await findIdentities(
        scope,
        plans.flatMap(({ wanted }) => (wanted ? wantedValues(wanted) : [])),
      )
      const step = plans
        .slice(0, countInStep(plans, known))
        .map(plan => ({ ...plan, faults: [...plan.faults, ...faultsOfRecord(plan.wanted, known)] }))
      const prefetched = {
        users: await findUsers(scope, namedUsers(procedure, step)),
        holders: await findHolders(
          scope,
          procedure,
          step.flatMap(({ change }) => change.primaryKey ?? []),
        ),
      }
      const { outcomes, made } = decideCreates(scope, procedure, step, prefetched)
      const { rids, effect } = await planRecords(
        scope,
        made.map(({ wanted }) => wanted),
        { known, entries: made.map(({ entry }) => entry) },
      )
      const processes = made.map(({ id, change }, nth) =>
        newProcess(procedure, change, { ...scope, id, record: rids[nth] ?? null }),
      )
      const due = await announceTimes(scope, procedure, tellTimes, processes, some => isAmong(procedure, some))
      const insert =
        processes.length > 0
          ? [
              insertProcesses(scope, procedure, processes),
              guardCount(processes.length),
              eventsOfNew(scope, procedure, {
                type: 'process.created',
                given: made.map(({ id, entry }) => ({ rid: ridOf(id), id, entry })),
              }),
              ...derivedOfInserts(procedure, processes).after,
              ...due,
            ]
          : []
      await commit({ outcomes, statements: [guardDefinition(procedure), ...effect, ...insert] })
    })
  })

function planCreate(procedure: Procedure, { record, ...sent }: CreateProcess, entry: number): CreatePlan {
  const { change, faults } = planChange(procedure, sent)
  return {
    entry,
    change,
    wanted: wantedByNew(procedure, change, record),
    faults: [...faults, ...faultsOfNew(procedure, change, sent), ...recordFaults(record?.data ?? {})],
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
  const made: ({ id: string } & Pick<CreatePlan, 'entry' | 'change' | 'wanted'>)[] = []
  const start = Math.floor(Math.random() * (RID_TAIL - plans.length))
  const outcomes = plans.map((plan): Outcome => {
    const { entry, change, faults, wanted } = withUsers(procedure, plan, { users })
    const primaryKey = change.primaryKey ?? null
    if (faults.length > 0) return withNames(outcomeOf(invalid(faults)), { primaryKey })
    const holder = primaryKey === null ? undefined : holders.get(primaryKey)
    if (primaryKey !== null && holder !== undefined)
      return withNames({ status: 'ERROR', result: failureOf(duplicate(procedure, primaryKey, holder)) }, { primaryKey })
    const id = newId(scope.now, start + made.length)
    made.push({ id, entry, change, wanted })
    if (primaryKey !== null) holders.set(primaryKey, id)
    return withNames({ status: 'SUCCESS', result: {} }, { id, primaryKey })
  })
  return { outcomes, made }
}

/** The ids of the processes that have some primary keys. */
export async function findHolders(scope: Scope, procedure: Procedure, keys: readonly string[]) {
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
