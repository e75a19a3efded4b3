import type { Outcome } from '../../background-job/entry.ts'
import { failureOf, outcomeOf } from '../../background-job/entry.ts'
import { DOCUMENT_BYTES_MAX } from '../../db/document-size.ts'
import { type AppError, type Fault, invalid, notFound } from '../../errors.ts'
import type { Procedure } from '../../procedure/model.ts'
import { noSuchUser } from '../../user/rules.ts'
import { duplicate } from '../refusals.ts'
import { allowedFrom, type Change, refusal } from '../rules.ts'
import type { Target } from '../write.ts'
import type { ManyItem } from './write-many.ts'

/** An entry that fits the procedure as far as its body goes; `change` is missing where it deletes. */
export interface PlannedUpdate {
  target: Target
  /** The address as it was sent: an id may also be the value of a primary key. */
  name: string
  change?: Change
  faults: Fault[]
}

/** What is known of a process while the entries of a step are decided one after the other. */
export interface Seen {
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

export interface Known {
  byRid: Map<number, Seen>
  byKey: Map<string, Seen>
  /** Ids of the users that are referred to, by how they are referred to. */
  users: Map<string, string>
}

/** The n-th change of each process: the n-th wave is written after those before it. */
export interface Wave {
  deletes: number[]
  updates: ManyItem[]
}

/** Decides each entry on what those before it have left, exactly as one request after another would be. */
export function decideUpdates(
  procedure: Procedure,
  entries: readonly PlannedUpdate[],
  known: Known,
): { outcomes: Outcome[]; waves: Wave[] } {
  const waves: Wave[] = []
  const outcomes = entries.map((entry): Outcome => {
    const { faults, change } = withUser(entry, known)
    if (faults.length > 0) return outcomeOf(invalid(faults))
    const seen = find(entry, known, procedure)
    if (!seen) return outcomeOf(notFound(`process ${entry.name}`))
    const refused = change && (refusal(procedure, seen, change) ?? takenKey(procedure, seen, change, known))
    if (refused) return { status: 'ERROR', result: failureOf(refused) }
    const wave = waveAt(waves, seen.changes ?? 0)
    if (!change) wave.deletes.push(seen.rid)
    else wave.updates.push(itemOf(procedure, seen, change))
    apply(seen, change, known)
    return { status: 'SUCCESS', result: resultOf(seen.id, seen.primaryKey) }
  })
  return { outcomes, waves }
}

/**
 * A value takes no more bytes in a document than three for each character of its JSON. Values that are replaced count,
 * too: nothing is refused by this estimate, it only says where the statement has to measure the document itself.
 */
const BYTES_PER_CHARACTER_MAX = 3

function itemOf(procedure: Procedure, seen: Seen, change: Change): ManyItem {
  seen.bytes += JSON.stringify(change.set).length * BYTES_PER_CHARACTER_MAX
  return {
    rid: seen.rid,
    change,
    state: allowedFrom(procedure, change) && seen.state,
    mayOutgrow: seen.bytes > DOCUMENT_BYTES_MAX / 2,
  }
}

export const resultOf = (id: string, primaryKey: string | null) => ({
  id,
  ...(primaryKey === null ? {} : { primaryKey }),
})

/** The user that a change refers to, by id; the reference itself stands in the change until here. */
export function withUser<Planned extends { change?: Change; faults: Fault[] }>(
  entry: Planned,
  { users }: Pick<Known, 'users'>,
): Planned {
  const { change, faults } = entry
  if (faults.length > 0 || typeof change?.assignedTo !== 'string') return entry
  const id = users.get(change.assignedTo)
  if (id === undefined) return { ...entry, faults: [noSuchUser(change.assignedTo, '/body/assignedTo')] }
  return { ...entry, change: { ...change, assignedTo: id } }
}

function find({ target, name }: PlannedUpdate, { byRid, byKey }: Known, { primaryKey }: Procedure): Seen | undefined {
  const seen = 'rid' in target ? byRid.get(target.rid) : byKey.get(target.primaryKey)
  if (seen && !seen.isDeleted && (!('rid' in target) || seen.id === target.id)) return seen
  const byName = 'rid' in target && primaryKey !== null ? byKey.get(name) : undefined
  return byName?.isDeleted ? undefined : byName
}

function takenKey(procedure: Procedure, seen: Seen, change: Change, { byKey }: Known): AppError | undefined {
  if (typeof change.primaryKey !== 'string') return undefined
  const holder = byKey.get(change.primaryKey)
  return holder && holder !== seen ? duplicate(procedure, change.primaryKey, holder.id) : undefined
}

function apply(seen: Seen, change: Change | undefined, { byKey }: Known): void {
  const key = change === undefined ? null : change.primaryKey === undefined ? seen.primaryKey : change.primaryKey
  if (key !== seen.primaryKey && seen.primaryKey !== null) byKey.delete(seen.primaryKey)
  if (key !== null) byKey.set(key, seen)
  seen.changes = (seen.changes ?? 0) + 1
  if (change === undefined) seen.isDeleted = true
  else {
    seen.primaryKey = key
    seen.state = change.state ?? seen.state
  }
}

function waveAt(waves: Wave[], index: number): Wave {
  waves[index] ??= { deletes: [], updates: [] }
  return waves[index]
}
