import type { Outcome } from '../../background-job/entry.ts'
import type { Step, StepEntry } from '../../background-job/kind.ts'
import type { IdentityMatch } from '../../customer-record/identity-statements.ts'
import { planRecords } from '../../customer-record/plan.ts'
import type { Statement } from '../../db/statement.ts'
import { toRowNo } from '../../ids.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { type ScheduleTimes, scheduleDueTimes } from '../due/schedule.ts'
import { finishErasure } from '../erasure/finish.ts'
import { guardNotBeingErased, isBeingErased } from '../erasure/statements.ts'
import { insertNewEvents } from '../rows/append-events.ts'
import { deriveInserts, insertProcesses, type NewProcess } from '../rows/insert.ts'
import { buildNewProcess } from '../rows/new-process.ts'
import { whereAmong } from '../rows/target.ts'
import type { Change } from '../rules.ts'
import { guardCount, guardVersions, writeStepWithRetry } from './step-conflict.ts'
import type { RequestedCustomer, WritePass } from './update-rules.ts'
import { deriveUpdates, trashManyStatements, updateManyStatements } from './write-many.ts'

/** A process that an entry creates. */
export interface CreatedProcess {
  id: string
  /** The place of the entry in the job. */
  entry: number
  change: Change
  /** The row of its customer. */
  record: number | null
}

/** What the entries of a step come to. */
export interface StepDecision {
  outcomes: Outcome[]
  /** New processes: inserted first, so that entries behind those that created them change them in a pass. */
  made: CreatedProcess[]
  passes: WritePass[]
  /** In the order of the entries. */
  customers: RequestedCustomer[]
}

/** A decision, and what it was made of. */
export interface DecidedStep<Plan> {
  decided: StepDecision
  /** The entries that fit the step. */
  step: readonly Plan[]
  /** All that was looked up of customers. */
  known: readonly IdentityMatch[]
  /** The processes that entries of an applied dry run rely on, with their versions. */
  relied?: readonly { rid: number; version: number }[]
}

/** Decides the entries of a step by the rules of the single routes and in their order, and writes what they come to. */
export const runWith =
  <Plan>(
    plan: (procedure: Procedure, entries: readonly StepEntry[]) => Plan[],
    decide: (scope: Scope, procedure: Procedure, plans: readonly Plan[]) => Promise<DecidedStep<Plan>>,
  ) =>
  (scheduleTimes: ScheduleTimes, { scope, procedure: reference, entries, commit }: Step): Promise<void> =>
    withProcedure(scope, reference, async procedure => {
      const plans = plan(procedure, entries)
      await writeStepWithRetry(plans.length, async () =>
        commitDecided(scope, procedure, await decide(scope, procedure, plans), { scheduleTimes, commit }),
      )
    })

/** Writes the outcomes and the effects of a step's entries in one transaction. */
async function commitDecided(
  scope: Scope,
  procedure: Procedure,
  { decided: { outcomes, made, passes, customers }, known, relied = [] }: Omit<DecidedStep<unknown>, 'step'>,
  { scheduleTimes, commit }: { scheduleTimes: ScheduleTimes; commit: Step['commit'] },
): Promise<void> {
  const records = await planRecords(
    scope,
    customers.map(({ wanted }) => wanted),
    { known, entries: customers.map(({ entry }) => entry) },
  )
  for (const [nth, { give }] of customers.entries()) give(records.rids[nth] ?? null)
  const processes = made.map(({ id, change, record }) => buildNewProcess(procedure, change, { ...scope, id, record }))
  const changed = passes.flatMap(({ groups }) => groups.flatMap(({ rows }) => rows))
  const timed = changed.map(({ rid, change: { status, nextActionAt } }) => ({ rid, status, nextActionAt }))
  const due = await scheduleDueTimes(scope, procedure, scheduleTimes, [...processes, ...timed], some =>
    whereAmong(procedure, some),
  )
  const leaving = changed.filter(({ change }) => change.record !== undefined)
  const guards = leaving.length > 0 ? [guardNotBeingErased(whereAmong(procedure, leaving))] : []
  const statements = [
    guardDefinition(procedure),
    ...guardVersions(relied),
    ...guards,
    ...records.effect,
    ...insertStatements(scope, procedure, processes, made),
    ...passes.flatMap(pass => passStatements(scope, procedure, pass)),
    ...due,
  ]
  await commit({ outcomes, statements }).catch(async (error: unknown) => {
    if (isBeingErased(error)) await finishErasure(scope, procedure, whereAmong(procedure, leaving))
    throw error
  })
}

function insertStatements(
  scope: Scope,
  procedure: Procedure,
  processes: readonly NewProcess[],
  made: readonly CreatedProcess[],
): Statement[] {
  if (processes.length === 0) return []
  const after = made.map(({ id, entry }) => ({ rid: toRowNo(id), id, entry }))
  return [
    insertProcesses(scope, procedure, processes),
    guardCount(processes.length),
    insertNewEvents(scope, procedure, { type: 'process.created', after }),
    ...deriveInserts(procedure, processes).after,
  ]
}

/** Deletes first: they free the primary keys that updates of the same pass may take. */
export function passStatements(scope: Scope, procedure: Procedure, { deletes, groups }: WritePass): Statement[] {
  const derived = deriveUpdates(
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
