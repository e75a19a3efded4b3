import { type SQL, sql } from 'drizzle-orm'
import { listChainIds } from '../../background-job/job-rows.ts'
import type { StepEntry } from '../../background-job/kind.ts'
import { getPlanned } from '../../background-job/planned-changes.ts'
import { countFitting } from '../../bytes.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import { type Statement, select } from '../../db/statement.ts'
import { event } from '../../event/table.ts'
import { toRowNo, UUID } from '../../ids.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { findUsers } from '../../user/reference.ts'
import { toRequestedRecord } from '../customer.ts'
import type { Projection } from '../dry-run/projection.ts'
import { findWrongKeyFaults } from '../reference.ts'
import { planChange, toPrimaryKey } from '../rules.ts'
import type { UpdateProcess } from '../schema.ts'
import { process } from '../table.ts'
import { listUserReferences } from '../users.ts'
import { findRecordDataFaults } from '../validate.ts'
import type { DecidedStep } from './decision.ts'
import { loadLastChanges } from './last-change.ts'
import { findCustomers } from './step-customers.ts'
import { decideUpdates, findTarget, listChangedSince, type PrefetchResult, type UpdatePlan } from './update-rules.ts'

/** `apiData` of an entry, as `UpdateData` and `DeleteData` of `schema.ts` have it. */
export interface ProcessReference {
  processId?: string
  primaryKeyShortId?: string
  primaryKeyValue?: string
}
interface UpdateEntry extends ProcessReference {
  processUpdate: UpdateProcess
}

export const planUpdates = (procedure: Procedure, entries: readonly StepEntry[]): UpdatePlan[] =>
  entries.map(({ apiType, apiData, index }) => ({
    ...planUpdate(procedure, apiData as unknown as UpdateEntry, apiType === 'PROCESS_DELETE'),
    entry: index,
    planned: getPlanned(apiData),
  }))

/** Decides the entries of a step, as many as it has room for; those of a dry run on what it has projected so far. */
export async function decideUpdateStep(
  scope: Scope,
  procedure: Procedure,
  plans: readonly UpdatePlan[],
  projection?: Projection,
): Promise<DecidedStep<UpdatePlan>> {
  const { prefetched, relied } = await prefetchFor(scope, procedure, plans, projection)
  const wanting = withinStep(procedure, plans, prefetched).map(plan => withCustomer(procedure, plan, prefetched))
  const { step, known } = await findCustomers(scope, wanting)
  return { decided: { ...decideUpdates(procedure, step, prefetched), made: [] }, step, known, relied }
}

/** What the entries refer to; and what must still be there when the step is written, because a dry run saw it. */
export async function prefetchFor(
  scope: Scope,
  procedure: Procedure,
  plans: readonly UpdatePlan[],
  projection?: Projection,
): Promise<{ prefetched: PrefetchResult; relied: { rid: number; version: number }[] }> {
  const prefetched = await prefetch(scope, procedure, plans)
  await projection?.onto(prefetched, plans)
  if (!plans.some(({ planned }) => planned)) return { prefetched, relied: [] }
  await markOwn(scope, plans, prefetched)
  prefetched.lastChanges = await loadLastChanges(scope, procedure, listChangedSince(procedure, plans, prefetched))
  return { prefetched, relied: [...prefetched.byRid.values()].map(({ rid, version }) => ({ rid, version })) }
}

/**
 * Where an entry relies on a change of its own job, looks up which job has changed its process last. What the job has not
 * run, or what has failed in it, is run by a retry: to that its changes are its own.
 */
async function markOwn(scope: Scope, plans: readonly UpdatePlan[], { byRid }: PrefetchResult): Promise<void> {
  const { db, team, origin } = scope
  if (!plans.some(({ planned }) => planned?.isOwn) || !('job' in origin)) return
  // What has moved to an object was not changed by a job that runs.
  const lastJob = sql<string | null>`(SELECT ${event.by} ->> '$.job' FROM ${event} WHERE ${event.team} = ${team.no}
    AND ${event.sequence} = ${process.lastEvent})`
  const columns = { rid: process.rid, version: process.version, lastJob }
  const [rows] = await db.read(
    select(columns, sql`FROM ${process} WHERE ${process.rid} IN ${ridList([...byRid.keys()])}`),
  )
  const isOwn = await readOwnJobs(
    scope,
    origin.job,
    rows.map(({ lastJob }) => lastJob),
  )
  for (const { rid, version, lastJob } of rows) {
    const state = byRid.get(rid)
    // What has changed since it was read fails the transaction.
    if (state?.version === version && isOwn(lastJob)) state.isOwn = true
  }
}

/** Tells which of some jobs are the one that runs, or of its chain: that is read where there are others. */
export async function readOwnJobs(
  scope: Scope,
  job: string,
  others: readonly (string | null)[],
): Promise<(other: string | null) => boolean> {
  const chain = others.some(other => other !== null && other !== job) ? await listChainIds(scope, job) : new Set([job])
  return other => other !== null && chain.has(other)
}

/** A document that is changed or deleted is written anew, whole. */
export const DOCUMENTS_BYTES_MAX = 4_000_000

/** The first entries, as many as the step has room for by the documents that they change. */
export function withinStep<Plan extends UpdatePlan>(
  procedure: Procedure,
  plans: readonly Plan[],
  prefetched: PrefetchResult,
): readonly Plan[] {
  const bytes = plans.map(plan => findTarget(plan, prefetched, procedure)?.bytes ?? 0)
  return plans.slice(0, countFitting(bytes, DOCUMENTS_BYTES_MAX))
}

/** Which process an entry names. */
export function readTarget(
  procedure: Procedure,
  { processId, primaryKeyShortId, primaryKeyValue = '' }: ProcessReference,
): Pick<UpdatePlan, 'target' | 'name' | 'faults'> {
  const name = toPrimaryKey(procedure, processId ?? primaryKeyValue)
  const isId = processId !== undefined && UUID.test(processId)
  const target = isId ? { rid: toRowNo(processId), id: processId.toLowerCase() } : { primaryKey: name }
  return { target, name, faults: findWrongKeyFaults(procedure, primaryKeyShortId) }
}

function planUpdate(procedure: Procedure, data: UpdateEntry, isDelete: boolean): Omit<UpdatePlan, 'entry'> {
  const { target, name, faults } = readTarget(procedure, data)
  if (isDelete) return { target, name, faults }
  const { record, ...sent } = data.processUpdate
  const { change, faults: ofChange } = planChange(procedure, sent)
  const all = [...faults, ...ofChange, ...(record?.data ? findRecordDataFaults(record.data) : [])]
  if (record === undefined) return { target, name, change, faults: all }
  // Whose it is by then is known when all entries are decided.
  return { target, name, change: { ...change, record: null }, record, faults: all }
}

/** The customer whom an entry means may depend on the one that its process has. */
function withCustomer(procedure: Procedure, plan: UpdatePlan, prefetched: PrefetchResult): UpdatePlan {
  if (!plan.record) return plan
  return { ...plan, wanted: toRequestedRecord(plan.record, findTarget(plan, prefetched, procedure)?.record ?? null) }
}

type StateValues = [
  rid: number,
  id: string,
  state: string,
  version: number,
  primaryKey: string | null,
  bytes: number,
  record: number | null,
]

/** All of them in one text: a row of its own for each would take longer on its way than in the database. */
const selectStates = (from: SQL) =>
  select(
    {
      states: sql<string>`json_group_array(json_array(${process.rid}, ${process.id}, ${process.state},
        ${process.version}, ${process.primaryKey}, length(${process.data}), ${process.record}))`,
    },
    from,
  )

/** The processes that the entries name, those that hold a primary key which an entry wants, and the users. */
async function prefetch(scope: Scope, procedure: Procedure, plans: readonly UpdatePlan[]): Promise<PrefetchResult> {
  const users = await findUsers(scope, listUserReferences(procedure, plans))
  const found: PrefetchResult = { byRid: new Map(), byKey: new Map(), users }
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
  { byRid, byKey }: PrefetchResult,
  statements: Statement<{ states: string }>[],
): Promise<void> {
  if (statements.length === 0) return
  for (const { states } of (await scope.db.read(...statements)).flat()) {
    for (const [rid, id, state, version, primaryKey, bytes, record] of JSON.parse(states) as StateValues[]) {
      const known = byRid.get(rid) ?? { rid, id, state, version, primaryKey, bytes, record }
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
