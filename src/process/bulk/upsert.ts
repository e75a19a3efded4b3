import { outcomeOf, withNames } from '../../background-job/entry.ts'
import type { Step } from '../../background-job/kind.ts'
import { BYTES_PER_CHARACTER_MAX } from '../../db/document/size.ts'
import { invalid } from '../../errors.ts'
import { ridOf } from '../../ids.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { WantedRecord } from '../../record/drafts.ts'
import type { Scope } from '../../scope.ts'
import { wantedByNew, wantedRecord } from '../customer.ts'
import type { TellTimes } from '../due/tell.ts'
import { missingKey, requirePrimaryKey } from '../refusals.ts'
import { derivedStatementsOf } from '../rows/derived.ts'
import { type Change, faultsOfNew, planChange } from '../rules.ts'
import type { CreateProcess } from '../schema.ts'
import { recordFaults } from '../validate.ts'
import { addMade, newIds } from './create.ts'
import { commitDecided, type StepDecision } from './decision.ts'
import { findCustomers } from './merged-records.ts'
import { writeStepWithRetry } from './step-conflict.ts'
import { prefetch, withinStep } from './update.ts'
import {
  type DecidedUpdates,
  decideUpdate,
  findTarget,
  type Prefetched,
  startUpdates,
  type UpdatePlan,
  withUsers,
} from './update-rules.ts'

/** An entry, validated against the procedure, as the update of the process that has its primary key. */
interface UpsertPlan extends UpdatePlan {
  /** Without the primary key: a process that is found by it has it already. */
  change: Change
  sent: Omit<CreateProcess, 'record'>
  /** The customer who is meant if the process has to be created. */
  wantedIfNew: WantedRecord | null
}

/** Creates processes, or updates those that have their primary keys, by the rules of the single route and in their order. */
export const runUpserts = (
  tellTimes: TellTimes,
  { scope, procedure: reference, entries, commit }: Step,
): Promise<void> =>
  withProcedure(scope, reference, async procedure => {
    const key = requirePrimaryKey(procedure)
    const plans = entries.map(({ apiData, index }) =>
      planUpsert(procedure, key, apiData.processUpsert as CreateProcess, index),
    )
    return writeStepWithRetry(plans.length, async () => {
      const prefetched = await prefetch(scope, procedure, plans)
      const wanting = withinStep(procedure, plans, prefetched).map(plan => withCustomer(procedure, plan, prefetched))
      const { step, known } = await findCustomers(scope, wanting)
      const decided = decideUpserts(scope, procedure, step, prefetched)
      await commitDecided(scope, procedure, decided, { known, tellTimes, commit })
    })
  })

function planUpsert(procedure: Procedure, key: string, { record, ...sent }: CreateProcess, entry: number): UpsertPlan {
  const { change: planned, faults } = planChange(procedure, sent)
  const { primaryKey, ...change } = planned
  const name = primaryKey ?? ''
  return {
    ...{ entry, name, target: { primaryKey: name }, sent },
    // Whose the process is by then is known when all entries are decided.
    ...(record === undefined ? { change } : { change: { ...change, record: null }, record }),
    wantedIfNew: wantedByNew(procedure, planned, record),
    faults: [...faults, ...missingKey(key, sent.data, faults), ...(record?.data ? recordFaults(record.data) : [])],
  }
}

/** What is looked up for a process that is to be created is enough for one that an entry before it creates. */
function withCustomer(procedure: Procedure, plan: UpsertPlan, prefetched: Prefetched): UpsertPlan {
  const found = findTarget(plan, prefetched, procedure)
  const wanted = !found ? plan.wantedIfNew : plan.record ? wantedRecord(plan.record, found.record) : null
  return wanted ? { ...plan, wanted } : plan
}

function decideUpserts(
  scope: Scope,
  procedure: Procedure,
  plans: readonly UpsertPlan[],
  prefetched: Prefetched,
): StepDecision {
  const decided = { ...startUpdates(procedure), made: [] }
  const nextId = newIds(scope, plans.length)
  for (const { wantedIfNew, sent, ...plan } of plans) {
    if (!findTarget(plan, prefetched, procedure))
      decideNew(procedure, { ...plan, wantedIfNew, sent }, prefetched, decided, nextId)
    // Of a process that this step creates, the customer of the procedure's phone attribute was looked up.
    else if (
      !decideUpdate(procedure, plan.record ? plan : { ...plan, wanted: null }, prefetched, decided, { created: false })
    )
      break
  }
  return decided
}

/** An insert with its guard and its events, once for all of a step. */
const STATEMENTS_OF_INSERT = 3

function decideNew(
  procedure: Procedure,
  plan: UpsertPlan,
  prefetched: Prefetched,
  decided: DecidedUpdates & StepDecision,
  nextId: () => string,
): void {
  const { change, faults } = withUsers(procedure, plan, prefetched)
  const { entry, name, wantedIfNew: wanted } = plan
  const all = [...faults, ...faultsOfNew(procedure, change, plan.sent)]
  if (all.length > 0) {
    decided.outcomes.push(withNames(outcomeOf(invalid(all)), { primaryKey: name === '' ? null : name }))
    return
  }
  if (decided.made.length === 0) decided.statements += STATEMENTS_OF_INSERT + derivedStatementsOf(procedure)
  const { id } = addMade(decided, { entry, change: { ...change, primaryKey: name }, wanted }, nextId())
  prefetched.byKey.set(name, {
    rid: ridOf(id),
    id,
    state: change.state ?? procedure.startState,
    primaryKey: name,
    bytes: JSON.stringify(change.set).length * BYTES_PER_CHARACTER_MAX,
    record: null,
    // Whose it is is known when the step is written.
    isRelinked: wanted !== null,
  })
  decided.outcomes.push(withNames({ status: 'SUCCESS', result: { created: true } }, { id, primaryKey: name }))
}
