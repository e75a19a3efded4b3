import type { Outcome } from '../../background-job/entry.ts'
import { quoteRefused, toFailure, toOutcome, withNames } from '../../background-job/entry.ts'
import { isPlannedOne, type PlannedChanges } from '../../background-job/planned-changes.ts'
import type { RequestedRecord } from '../../customer-record/requested-records.ts'
import { BYTES_PER_CHARACTER_MAX, CERTAINLY_FITTING_BYTES } from '../../db/document/size.ts'
import { type AppError, type Fault, invalid, notFound } from '../../errors.ts'
import { EVENT_ROW_BYTES_MAX } from '../../event/append.ts'
import type { Procedure } from '../../procedure/model.ts'
import { identifiesNobody } from '../customer.ts'
import { toStatusNumber } from '../fields.ts'
import { duplicateKeyError } from '../refusals.ts'
import { countDerivedStatements } from '../rows/derived.ts'
import type { Target } from '../rows/target.ts'
import { type Change, listAllowedStates, listReopenedStates, type PlannedChange, toTransitionError } from '../rules.ts'
import type { RecordInput } from '../schema.ts'
import { resolveUsers } from '../users.ts'
import { type ChangeForm, createFormCache, listFormValues } from './change-form.ts'
import { type LastChanges, toChangedSincePlan } from './last-change.ts'
import { isAlike, type RowDelete, type RowUpdate, toGroupKey } from './write-many.ts'

/** An entry, validated against the procedure. A deletion has no `change`. */
export interface UpdatePlan {
  /** Its place in the job. */
  entry: number
  target: Target
  /** The address as it was sent: an id may also be the value of a primary key. */
  name: string
  change?: Change
  /** What it says of the customer; null: the process has none from then on. */
  record?: RecordInput | null
  /** The customer that is meant by it. */
  wanted?: RequestedRecord | null
  /** What the dry run saw that the job applies. */
  planned?: PlannedChanges | undefined
  faults: Fault[]
}

/** A process while the entries of a step are decided one after the other. */
export interface ProcessState {
  rid: number
  id: string
  state: string
  version: number
  primaryKey: string | null
  /** How large its document is, or may be by now. */
  bytes: number
  /** The row of its customer, as it was before the step. */
  record: number | null
  /** An entry of this step has given it another customer, or none. */
  isRelinked?: boolean
  isDeleted?: boolean
  /** How many entries of this step have changed it. */
  changes?: number
  /** Its job has changed it last: known where an entry asks for it. */
  isOwn?: boolean
}

/** What the entries of a step refer to, as it was read before. */
export interface PrefetchResult {
  byRid: Map<number, ProcessState>
  byKey: Map<string, ProcessState>
  /** Ids of the users that are referred to, by how they are referred to. */
  users: Map<string, string>
  /** Those of what is not as a dry run saw it. */
  lastChanges?: LastChanges
}

/** The n-th change of each process: the n-th pass is written after those before it. */
export interface WritePass {
  deletes: RowDelete[]
  /** Each is one statement, and one row of events. */
  groups: UpdateGroup[]
  /** The groups that take more, by `toGroupKey`. */
  open: Map<string, UpdateGroup>
  /** The group of the update before, which that of the next one is as a rule. */
  last?: UpdateGroup
}

/** A customer whom an entry gives its process: their row is known when all entries of the step are decided. */
export interface RequestedCustomer {
  /** The place of the entry in the job. */
  entry: number
  wanted: RequestedRecord
  give: (record: number | null) => void
}

/** The outcomes and writes of a step's entries, which grow while the entries are decided one after the other. */
export interface DecidedUpdates {
  outcomes: Outcome[]
  passes: WritePass[]
  /** In the order of the entries. */
  customers: RequestedCustomer[]
  /** The number of statements that write what was decided so far. */
  statements: number
  getForm: (change: Change) => ChangeForm
}

export const startUpdates = (procedure: Procedure): DecidedUpdates => ({
  outcomes: [],
  passes: [],
  customers: [],
  statements: 0,
  getForm: createFormCache(procedure),
})

/** Sets the customer of an update that was decided before their row was known. */
function setRecord(procedure: Procedure, row: RowUpdate, record: number | null): void {
  row.change = { ...row.change, record }
  row.values = listFormValues(procedure, row.form, row.change, row.state)
}

interface UpdateGroup {
  rows: RowUpdate[]
  /** The bytes of their documents, before and after. */
  bytes: number
}

/** With their events and a guard. */
const STATEMENTS_PER_GROUP = 3
const STATEMENTS_PER_DELETES = 4
/**
 * One invocation of a Worker runs a thousand statements at most. A run slice (`background-job/run/slice.ts`) may
 * have run some already, and each attempt after a conflict runs those of the step again.
 */
export const STATEMENTS_PER_STEP_MAX = 100

/**
 * Decides each entry on the result of those before it, as single requests one after the other would. Entries beyond
 * `STATEMENTS_PER_STEP_MAX` are left for the next step.
 */
export function decideUpdates(
  procedure: Procedure,
  entries: readonly UpdatePlan[],
  prefetched: PrefetchResult,
): DecidedUpdates {
  const decided = startUpdates(procedure)
  for (const entry of entries) if (!decideUpdate(procedure, entry, prefetched, decided)) break
  return decided
}

/** Adds what an entry comes to; `result` is that of a success. Returns whether the step goes on with the next entry. */
export function decideUpdate(
  procedure: Procedure,
  entry: UpdatePlan,
  prefetched: PrefetchResult,
  decided: DecidedUpdates,
  result: Record<string, unknown> = {},
): boolean {
  const { outcomes, passes, customers, getForm } = decided
  const { faults, change: planned } = entry.change
    ? withUsers(procedure, { change: entry.change, faults: entry.faults }, prefetched)
    : entry
  const process = findTarget(entry, prefetched, procedure)
  if (faults.length > 0) {
    outcomes.push(withNames(toOutcome(invalid(quoteRefused(faults))), process))
    return true
  }
  if (!process) {
    const refusal = entry.planned ? toGoneError(entry, prefetched) : notFound(`process ${entry.name}`)
    outcomes.push(withNames(toOutcome(refusal), entry.planned && findGoneChange(entry, prefetched)))
    return true
  }
  if (entry.planned && !isAsPlanned(process, entry.planned)) {
    const change = prefetched.lastChanges?.byRid.get(process.rid)
    outcomes.push(withNames(toOutcome(toChangedSincePlan(process.primaryKey ?? entry.name, change)), process))
    return true
  }
  const reopened = planned ? listReopenedStates(procedure, planned) : []
  const change = planned && reopened.includes(process.state) ? { ...planned, status: toStatusNumber('OPEN') } : planned
  const refused =
    change && (toTransitionError(procedure, process, change) ?? findKeyConflict(procedure, process, change, prefetched))
  if (refused) {
    outcomes.push(withNames({ status: 'ERROR', result: toFailure(refused) }, process))
    return true
  }
  // Whom such data are about is known when the step is written.
  if (process.isRelinked && entry.record && identifiesNobody(entry.record)) return false
  passes[process.changes ?? 0] ??= { deletes: [], groups: [], open: new Map() }
  const pass = passes[process.changes ?? 0] as WritePass
  const { entry: place, wanted } = entry
  const row =
    change &&
    planRowUpdate(procedure, process, {
      entry: place,
      change,
      form: getForm(change),
      reliesOnState: reopened.length > 0,
    })
  if (row && wanted) customers.push({ entry: place, wanted, give: record => setRecord(procedure, row, record) })
  if (entry.record !== undefined) process.isRelinked = true
  const added = row ? addUpdate(pass, row) : addDelete(pass, { rid: process.rid, id: process.id, entry: place })
  decided.statements += added === 0 ? 0 : added + countDerivedStatements(procedure)
  applyChange(process, change, prefetched)
  outcomes.push(withNames({ status: 'SUCCESS', result }, process))
  return decided.statements < STATEMENTS_PER_STEP_MAX
}

/** These return by how many statements the pass has grown. */
export const addDelete = ({ deletes }: WritePass, added: RowDelete): number =>
  deletes.push(added) === 1 ? STATEMENTS_PER_DELETES : 0

export function addUpdate(pass: WritePass, added: RowUpdate): number {
  const { open, last } = pass
  const known = last?.rows[0] && isAlike(last.rows[0], added) ? last : open.get(toGroupKey(added))
  const group = known && known.bytes + added.bytes <= EVENT_ROW_BYTES_MAX ? known : { rows: [], bytes: 0 }
  group.rows.push(added)
  group.bytes += added.bytes
  pass.last = group
  if (group === known) return 0
  open.set(toGroupKey(added), group)
  pass.groups.push(group)
  return STATEMENTS_PER_GROUP
}

/**
 * `bytes` counts values that are replaced, too: nothing is refused by this estimate, it only says where the statement has
 * to measure the document itself, and which events fit a row.
 */
export function planRowUpdate(
  procedure: Procedure,
  process: ProcessState,
  { entry, change, form, reliesOnState }: Pick<RowUpdate, 'entry' | 'change' | 'form'> & { reliesOnState: boolean },
): RowUpdate {
  const state = reliesOnState || listAllowedStates(procedure, change) ? process.state : undefined
  const values = listFormValues(procedure, form, change, state)
  process.bytes += (form.characters + values.length) * BYTES_PER_CHARACTER_MAX
  const { rid, id, bytes } = process
  return { rid, id, entry, change, form, values, bytes, state, mayOutgrow: process.bytes > CERTAINLY_FITTING_BYTES }
}

/** Replaces the references to users by their ids. */
export const withUsers = (
  procedure: Procedure,
  { change, faults }: PlannedChange,
  { users }: Pick<PrefetchResult, 'users'>,
): PlannedChange => (faults.length > 0 ? { change, faults } : resolveUsers(procedure, change, users))

export function findTarget(
  { target, name }: UpdatePlan,
  { byRid, byKey }: PrefetchResult,
  { primaryKey }: Procedure,
): ProcessState | undefined {
  const found = 'rid' in target ? byRid.get(target.rid) : byKey.get(target.primaryKey)
  if (found && !found.isDeleted && (!('rid' in target) || found.id === target.id)) return found
  const byName = 'rid' in target && primaryKey !== null ? byKey.get(name) : undefined
  return byName?.isDeleted ? undefined : byName
}

/** Whether a process is as the dry run saw it, or as an earlier entry of the job has left it, if one was to change it. */
export const isAsPlanned = (
  { id, version, isOwn = false }: Pick<ProcessState, 'id' | 'version' | 'isOwn'>,
  planned: PlannedChanges,
): boolean => isPlannedOne(id, planned) && version === planned.version && (isOwn || !planned.isOwn)

const findGoneChange = ({ target }: UpdatePlan, { lastChanges }: PrefetchResult) =>
  'rid' in target ? lastChanges?.byRid.get(target.rid) : lastChanges?.byKey.get(target.primaryKey)

/** The error of an entry whose process was there in the dry run. */
export const toGoneError = (entry: UpdatePlan, prefetched: PrefetchResult): AppError =>
  toChangedSincePlan(entry.name, findGoneChange(entry, prefetched))

/**
 * What is not as the dry run saw it, before any entry of the step has changed it. Where the version is below the planned
 * one, an earlier entry of the same job was refused, and nobody else need have changed it.
 */
export function listChangedSince(
  procedure: Procedure,
  plans: readonly UpdatePlan[],
  prefetched: PrefetchResult,
): { rids: number[]; keys: string[] } {
  const seen = new Set<ProcessState>()
  const [rids, keys]: [number[], string[]] = [[], []]
  for (const plan of plans) {
    const { planned, target } = plan
    const process = findTarget(plan, prefetched, procedure)
    if (!planned || (process && seen.has(process))) continue
    const version = planned.version ?? 0
    if (process) {
      seen.add(process)
      const isOlder = process.version < version && isPlannedOne(process.id, planned)
      if (!isOlder && !isAsPlanned(process, planned)) rids.push(process.rid)
    } else if (version > 0) {
      if ('rid' in target) rids.push(target.rid)
      else keys.push(target.primaryKey)
    }
  }
  return { rids, keys }
}

function findKeyConflict(
  procedure: Procedure,
  process: ProcessState,
  change: Change,
  { byKey }: PrefetchResult,
): AppError | undefined {
  if (typeof change.primaryKey !== 'string') return undefined
  const holder = byKey.get(change.primaryKey)
  return holder && holder !== process ? duplicateKeyError(procedure, change.primaryKey, holder.id) : undefined
}

function applyChange(process: ProcessState, change: Change | undefined, { byKey }: PrefetchResult): void {
  const key = change === undefined ? null : change.primaryKey === undefined ? process.primaryKey : change.primaryKey
  if (key !== process.primaryKey && process.primaryKey !== null) byKey.delete(process.primaryKey)
  if (key !== null) byKey.set(key, process)
  process.changes = (process.changes ?? 0) + 1
  process.isOwn = true
  if (change === undefined) process.isDeleted = true
  else {
    process.version += 1
    process.primaryKey = key
    process.state = change.state ?? process.state
  }
}
