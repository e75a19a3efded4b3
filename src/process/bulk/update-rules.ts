import type { Outcome } from '../../background-job/entry.ts'
import { failureOf, outcomeOf } from '../../background-job/entry.ts'
import { DOCUMENT_BYTES_MAX } from '../../db/document/size.ts'
import { type AppError, type Fault, invalid, notFound } from '../../errors.ts'
import type { Procedure } from '../../procedure/model.ts'
import { noSuchUser } from '../../user/rules.ts'
import { duplicate } from '../refusals.ts'
import { derivedStatementsOf } from '../rows/derived.ts'
import type { Target } from '../rows/target.ts'
import { allowedFrom, type Change, refusal } from '../rules.ts'
import { type ChangeForm, formsOf, valuesOfForm } from './change-form.ts'
import { groupKeyOf, isAlike, type RowUpdate } from './write-many.ts'

/** An entry, validated against the procedure. A deletion has no `change`. */
export interface UpdatePlan {
  target: Target
  /** The address as it was sent: an id may also be the value of a primary key. */
  name: string
  change?: Change
  faults: Fault[]
}

/** A process while the entries of a step are decided one after the other. */
export interface ProcessState {
  rid: number
  id: string
  state: string
  primaryKey: string | null
  /** How large its document is, or may be by now. */
  bytes: number
  isDeleted?: boolean
  /** How many entries of this step have changed it. */
  changes?: number
}

/** What the entries of a step refer to, as it was read before. */
export interface Prefetched {
  byRid: Map<number, ProcessState>
  byKey: Map<string, ProcessState>
  /** Ids of the users that are referred to, by how they are referred to. */
  users: Map<string, string>
}

/** The n-th change of each process: the n-th pass is written after those before it. */
export interface WritePass {
  deletes: number[]
  /** Each group is one statement. */
  updates: Map<string, RowUpdate[]>
  /** The group of the update before, which that of the next one is as a rule. */
  last?: RowUpdate[]
}

/** With its guard. */
const STATEMENTS_PER_GROUP = 2
const STATEMENTS_PER_DELETES = 3
/**
 * One invocation of a Worker runs a thousand statements at most. A turn (`background-job/run/turn.ts`) may
 * have run some already, and each attempt after a conflict runs those of the step again.
 */
const STATEMENTS_PER_STEP_MAX = 100

/**
 * Decides each entry on the result of those before it, as single requests one after the other would. Entries beyond
 * `STATEMENTS_PER_STEP_MAX` are left for the next step.
 */
export function decideUpdates(
  procedure: Procedure,
  entries: readonly UpdatePlan[],
  prefetched: Prefetched,
): { outcomes: Outcome[]; passes: WritePass[] } {
  const passes: WritePass[] = []
  const outcomes: Outcome[] = []
  const formOf = formsOf(procedure)
  const derived = derivedStatementsOf(procedure)
  let statements = 0
  for (const entry of entries) {
    const { faults, change } = resolveUser(entry, prefetched)
    if (faults.length > 0) {
      outcomes.push(outcomeOf(invalid(faults)))
      continue
    }
    const process = findTarget(entry, prefetched, procedure)
    if (!process) {
      outcomes.push(outcomeOf(notFound(`process ${entry.name}`)))
      continue
    }
    const refused = change && (refusal(procedure, process, change) ?? takenKey(procedure, process, change, prefetched))
    if (refused) {
      outcomes.push({ status: 'ERROR', result: failureOf(refused) })
      continue
    }
    passes[process.changes ?? 0] ??= { deletes: [], updates: new Map() }
    const pass = passes[process.changes ?? 0] as WritePass
    const added = addToPass(pass, change ? rowUpdateOf(procedure, process, change, formOf(change)) : process.rid)
    statements += added === 0 ? 0 : added + derived
    applyChange(process, change, prefetched)
    outcomes.push({ status: 'SUCCESS', result: successResult(process.id, process.primaryKey) })
    if (statements >= STATEMENTS_PER_STEP_MAX) break
  }
  return { outcomes, passes }
}

/** Returns by how many statements the pass has grown. */
function addToPass(pass: WritePass, added: RowUpdate | number): number {
  const { deletes, updates, last } = pass
  if (typeof added === 'number') return deletes.push(added) === 1 ? STATEMENTS_PER_DELETES : 0
  const known = last?.[0] && isAlike(last[0], added) ? last : updates.get(groupKeyOf(added))
  pass.last = known ?? [added]
  if (known) known.push(added)
  else updates.set(groupKeyOf(added), pass.last)
  return known ? 0 : STATEMENTS_PER_GROUP
}

/**
 * A value takes no more bytes in a document than three for each character of its JSON. Values that are replaced count,
 * too: nothing is refused by this estimate, it only says where the statement has to measure the document itself.
 */
const BYTES_PER_CHARACTER_MAX = 3

function rowUpdateOf(procedure: Procedure, process: ProcessState, change: Change, form: ChangeForm): RowUpdate {
  const state = allowedFrom(procedure, change) && process.state
  const values = valuesOfForm(form, change, state)
  process.bytes += (form.characters + values.length) * BYTES_PER_CHARACTER_MAX
  return { rid: process.rid, change, form, values, state, mayOutgrow: process.bytes > DOCUMENT_BYTES_MAX / 2 }
}

export const successResult = (id: string, primaryKey: string | null): Record<string, unknown> =>
  primaryKey === null ? { id } : { id, primaryKey }

/** The references to users in some changes. */
export function namedUsers(plans: readonly { change?: Change }[]): string[] {
  const named = new Set<string>()
  for (const { change } of plans) if (typeof change?.assignedTo === 'string') named.add(change.assignedTo)
  return [...named]
}

/** Replaces the reference to a user by the id. */
export function resolveUser<Plan extends { change?: Change; faults: Fault[] }>(
  entry: Plan,
  { users }: Pick<Prefetched, 'users'>,
): Plan {
  const { change, faults } = entry
  if (faults.length > 0 || typeof change?.assignedTo !== 'string') return entry
  const id = users.get(change.assignedTo)
  if (id === undefined) return { ...entry, faults: [noSuchUser(change.assignedTo, '/body/assignedTo')] }
  return { ...entry, change: { ...change, assignedTo: id } }
}

function findTarget(
  { target, name }: UpdatePlan,
  { byRid, byKey }: Prefetched,
  { primaryKey }: Procedure,
): ProcessState | undefined {
  const found = 'rid' in target ? byRid.get(target.rid) : byKey.get(target.primaryKey)
  if (found && !found.isDeleted && (!('rid' in target) || found.id === target.id)) return found
  const byName = 'rid' in target && primaryKey !== null ? byKey.get(name) : undefined
  return byName?.isDeleted ? undefined : byName
}

function takenKey(
  procedure: Procedure,
  process: ProcessState,
  change: Change,
  { byKey }: Prefetched,
): AppError | undefined {
  if (typeof change.primaryKey !== 'string') return undefined
  const holder = byKey.get(change.primaryKey)
  return holder && holder !== process ? duplicate(procedure, change.primaryKey, holder.id) : undefined
}

function applyChange(process: ProcessState, change: Change | undefined, { byKey }: Prefetched): void {
  const key = change === undefined ? null : change.primaryKey === undefined ? process.primaryKey : change.primaryKey
  if (key !== process.primaryKey && process.primaryKey !== null) byKey.delete(process.primaryKey)
  if (key !== null) byKey.set(key, process)
  process.changes = (process.changes ?? 0) + 1
  if (change === undefined) process.isDeleted = true
  else {
    process.primaryKey = key
    process.state = change.state ?? process.state
  }
}
