import { sql } from 'drizzle-orm'
import { type Outcome, quoteRefused, toOutcome, withNames } from '../../background-job/entry.ts'
import type { StepEntry } from '../../background-job/kind.ts'
import { getPlanned, type PlannedChanges } from '../../background-job/planned-changes.ts'
import type { RequestedRecord } from '../../customer-record/requested-records.ts'
import { select } from '../../db/statement.ts'
import { type Fault, invalid } from '../../errors.ts'
import { newId, RID_TAIL, toRowNo } from '../../ids.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { findUsers } from '../../user/reference.ts'
import { toRequestedRecordOfNew } from '../customer.ts'
import type { Projection } from '../dry-run/projection.ts'
import { duplicateKeyError } from '../refusals.ts'
import { type Change, findNewFaults, planChange } from '../rules.ts'
import type { CreateProcess } from '../schema.ts'
import { process } from '../table.ts'
import { listUserReferences } from '../users.ts'
import { findRecordDataFaults } from '../validate.ts'
import type { CreatedProcess, DecidedStep, StepDecision } from './decision.ts'
import { type LastChanges, loadLastChanges, toChangedSincePlan } from './last-change.ts'
import { findCustomers } from './step-customers.ts'
import { withUsers } from './update-rules.ts'

/** An entry, validated against the procedure. */
export interface CreatePlan {
  /** Its place in the job. */
  entry: number
  change: Change
  wanted: RequestedRecord | null
  /** The dry run that the job applies would have created it. */
  planned?: PlannedChanges | undefined
  faults: Fault[]
}

export const planCreates = (procedure: Procedure, entries: readonly StepEntry[]): CreatePlan[] =>
  entries.map(({ apiData, index }) => ({
    ...planCreate(procedure, apiData.processCreate as CreateProcess, index),
    planned: getPlanned(apiData),
  }))

/** Decides the entries of a step, as many as it has room for; those of a dry run on what it has projected so far. */
export async function decideCreateStep(
  scope: Scope,
  procedure: Procedure,
  plans: readonly CreatePlan[],
  projection?: Projection,
): Promise<DecidedStep<CreatePlan>> {
  const { step, known } = await findCustomers(scope, plans)
  const users = await findUsers(scope, listUserReferences(procedure, step))
  const keys = step.flatMap(({ change }) => change.primaryKey ?? [])
  const holders = await findHolders(scope, procedure, keys)
  await projection?.ontoHolders(holders, keys)
  const isPlanned = step.some(({ planned }) => planned)
  const lastChanges = await loadLastChanges(scope, procedure, {
    rids: isPlanned ? [...holders.values()].map(toRowNo) : [],
  })
  return { decided: decideCreates(scope, procedure, step, { users, holders, lastChanges }), step, known }
}

function planCreate(procedure: Procedure, { record, ...sent }: CreateProcess, entry: number): CreatePlan {
  const { change, faults } = planChange(procedure, sent)
  return {
    entry,
    change,
    wanted: toRequestedRecordOfNew(procedure, change, record),
    faults: [
      ...faults,
      ...findNewFaults(procedure, change, sent),
      ...(record?.data ? findRecordDataFaults(record.data) : []),
    ],
  }
}

interface PrefetchResult {
  users: Map<string, string>
  /** The ids of processes that hold a primary key. */
  holders: Map<string, string>
  /** Those of the holders, where a dry run is applied. */
  lastChanges: LastChanges
}

function decideCreates(
  scope: Scope,
  procedure: Procedure,
  plans: readonly CreatePlan[],
  { users, holders, lastChanges }: PrefetchResult,
): StepDecision {
  const decided: StepDecision = { outcomes: [], made: [], passes: [], customers: [] }
  const nextId = newIds(scope, plans.length)
  for (const plan of plans) {
    const { change, faults } = withUsers(procedure, plan, { users })
    const primaryKey = change.primaryKey ?? null
    const holder = primaryKey === null ? undefined : holders.get(primaryKey)
    const refused: Outcome | undefined =
      faults.length > 0
        ? toOutcome(invalid(quoteRefused(faults)))
        : primaryKey !== null && holder !== undefined
          ? toOutcome(
              plan.planned
                ? toChangedSincePlan(primaryKey, lastChanges.byRid.get(toRowNo(holder)))
                : duplicateKeyError(procedure, primaryKey, holder),
            )
          : undefined
    if (refused) {
      decided.outcomes.push(withNames(refused, { primaryKey }))
      continue
    }
    const { id } = addMade(decided, { entry: plan.entry, change, wanted: plan.wanted }, nextId())
    if (primaryKey !== null) holders.set(primaryKey, id)
    decided.outcomes.push(withNames({ status: 'SUCCESS', result: {} }, { id, primaryKey }))
  }
  return decided
}

/** New processes of one millisecond get consecutive numbers from a random start: so they never collide with each other. */
export function newIds({ now }: Pick<Scope, 'now'>, count: number): () => string {
  let next = Math.floor(Math.random() * (RID_TAIL - count))
  return () => newId(now, next++)
}

/** Adds a process that an entry creates; the row of its customer follows. */
export function addMade(
  { made, customers }: Pick<StepDecision, 'made' | 'customers'>,
  { entry, change, wanted }: Pick<CreatePlan, 'entry' | 'change' | 'wanted'>,
  id: string,
): CreatedProcess {
  const process: CreatedProcess = { id, entry, change, record: null }
  made.push(process)
  if (wanted)
    customers.push({
      entry,
      wanted,
      give: record => {
        process.record = record
      },
    })
  return process
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
