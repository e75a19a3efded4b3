import { quoteRefused, toOutcome, withNames } from '../../background-job/entry.ts'
import type { StepEntry } from '../../background-job/kind.ts'
import { getPlanned } from '../../background-job/planned-changes.ts'
import type { RequestedRecord } from '../../customer-record/requested-records.ts'
import { BYTES_PER_CHARACTER_MAX } from '../../db/document/size.ts'
import { invalid } from '../../errors.ts'
import { toRowNo } from '../../ids.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { toRequestedRecord, toRequestedRecordOfNew } from '../customer.ts'
import type { Projection } from '../dry-run/projection.ts'
import { findMissingKeyFaults, requirePrimaryKey } from '../refusals.ts'
import { countDerivedStatements } from '../rows/derived.ts'
import { type Change, findNewFaults, planChange } from '../rules.ts'
import type { CreateProcess } from '../schema.ts'
import { findRecordDataFaults } from '../validate.ts'
import { addMade, newIds } from './create.ts'
import type { DecidedStep, StepDecision } from './decision.ts'
import { findCustomers } from './step-customers.ts'
import { prefetchFor, withinStep } from './update.ts'
import {
  type DecidedUpdates,
  decideUpdate,
  findTarget,
  type PrefetchResult,
  startUpdates,
  toGoneError,
  type UpdatePlan,
  withUsers,
} from './update-rules.ts'

/** An entry, validated against the procedure, as the update of the process that has its primary key. */
interface UpsertPlan extends UpdatePlan {
  /** Without the primary key: a process that is found by it has it already. */
  change: Change
  sent: Omit<CreateProcess, 'record'>
  /** The customer who is meant if the process has to be created. */
  wantedIfNew: RequestedRecord | null
}

export function planUpserts(procedure: Procedure, entries: readonly StepEntry[]): UpsertPlan[] {
  const key = requirePrimaryKey(procedure)
  return entries.map(entry => planUpsert(procedure, key, entry))
}

/** Decides as many entries of a step as fit. Those of a dry run are decided on the processes as it has projected them so far. */
export async function decideUpsertStep(
  scope: Scope,
  procedure: Procedure,
  plans: readonly UpsertPlan[],
  projection?: Projection,
): Promise<DecidedStep<UpsertPlan>> {
  const { prefetched, relied } = await prefetchFor(scope, procedure, plans, projection)
  const wanting = withinStep(procedure, plans, prefetched).map(plan => withCustomer(procedure, plan, prefetched))
  const { step, known } = await findCustomers(scope, wanting)
  return { decided: decideUpserts(scope, procedure, step, prefetched), step, known, relied }
}

function planUpsert(procedure: Procedure, key: string, { apiData, index: entry }: StepEntry): UpsertPlan {
  const { record, ...sent } = apiData.processUpsert as CreateProcess
  const { change: planned, faults } = planChange(procedure, sent)
  const { primaryKey, ...change } = planned
  const name = primaryKey ?? ''
  return {
    entry,
    name,
    target: { primaryKey: name },
    sent,
    // Whose the process is by then is known when all entries are decided.
    ...(record === undefined ? { change } : { change: { ...change, record: null }, record }),
    wantedIfNew: toRequestedRecordOfNew(procedure, planned, record),
    planned: getPlanned(apiData),
    faults: [
      ...faults,
      ...findMissingKeyFaults(key, sent.data, faults),
      ...(record?.data ? findRecordDataFaults(record.data) : []),
    ],
  }
}

/** What is looked up for a process that is to be created is enough for one that an entry before it creates. */
function withCustomer(procedure: Procedure, plan: UpsertPlan, prefetched: PrefetchResult): UpsertPlan {
  const found = findTarget(plan, prefetched, procedure)
  const wanted = !found ? plan.wantedIfNew : plan.record ? toRequestedRecord(plan.record, found.record) : null
  return wanted ? { ...plan, wanted } : plan
}

function decideUpserts(
  scope: Scope,
  procedure: Procedure,
  plans: readonly UpsertPlan[],
  prefetched: PrefetchResult,
): StepDecision {
  const decided = { ...startUpdates(procedure), made: [] }
  const nextId = newIds(scope, plans.length)
  for (const plan of plans) {
    if (!findTarget(plan, prefetched, procedure)) decideNew(procedure, plan, prefetched, decided, nextId)
    else {
      // The customer of the procedure's phone attribute was looked up for a process that this step creates, not for its update.
      const update = plan.wanted && !plan.record ? { ...plan, wanted: null } : plan
      if (!decideUpdate(procedure, update, prefetched, decided, { created: false })) break
    }
  }
  return decided
}

/** An insert with its guard and its events, once for all of a step. */
const STATEMENTS_OF_INSERT = 3

function decideNew(
  procedure: Procedure,
  plan: UpsertPlan,
  prefetched: PrefetchResult,
  decided: DecidedUpdates & StepDecision,
  nextId: () => string,
): void {
  const { change, faults } = withUsers(procedure, plan, prefetched)
  const { entry, name, wantedIfNew: wanted } = plan
  const all = [...faults, ...findNewFaults(procedure, change, plan.sent)]
  const { planned } = plan
  const refused =
    all.length > 0 ? invalid(quoteRefused(all)) : planned?.version ? toGoneError(plan, prefetched) : undefined
  if (refused) {
    decided.outcomes.push(withNames(toOutcome(refused), { primaryKey: name === '' ? null : name }))
    return
  }
  if (decided.made.length === 0) decided.statements += STATEMENTS_OF_INSERT + countDerivedStatements(procedure)
  const { id } = addMade(decided, { entry, change: { ...change, primaryKey: name }, wanted }, nextId())
  prefetched.byKey.set(name, {
    rid: toRowNo(id),
    id,
    state: change.state ?? procedure.startState,
    version: 1,
    primaryKey: name,
    bytes: JSON.stringify(change.set).length * BYTES_PER_CHARACTER_MAX,
    record: null,
    // Whose it is is known when the step is written.
    isRelinked: wanted !== null,
    isOwn: true,
  })
  decided.outcomes.push(withNames({ status: 'SUCCESS', result: { created: true } }, { id, primaryKey: name }))
}
