import { isGuardFailure, isUniqueViolation } from '../db/guard.ts'
import type { Statement } from '../db/statement.ts'
import { type Fault, invalid } from '../errors.ts'
import { newId, toRowNo } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { guardRecords } from './customer.ts'
import { draftRecords, identityValues, listRequestedValues, type RequestedRecord, readIdentifying } from './drafts.ts'
import {
  findIdentities,
  type IdentityMatch,
  insertFreeIdentities,
  insertIdentities,
  insertIdentitiesIfChanged,
  OWN,
  removeIdentities,
  selectIdentities,
} from './identity.ts'
import type { IdentityChange } from './identity-change.ts'
import { listIdentities, updateIdentityAttributes } from './rules.ts'
import { insertRecordIfUnknown, insertRecords, type NewRecord, RECORD_CHANGED, updateRecords } from './store.ts'
import { insertWords, insertWordsIfChanged, planWordsChange, removeWords } from './words.ts'

interface RecordPlan {
  /** One for each wanted record, in the same order; null where none was wanted. */
  rids: (number | null)[]
  /** The ids of the records by their rows; null: it is new. */
  ids: ReadonlyMap<number, string | null>
  /** To stand in the transaction that writes the processes. On a conflict they fail it: see `isRecordConflict`. */
  effect: Statement[]
}

/** Whether it is named by an id that no record of the team has. `found` has all that `listRequestedValues` names. */
export const isUnknownRecord = ({ id, own }: RequestedRecord, found: readonly IdentityMatch[]): boolean =>
  id !== undefined &&
  !found.some(row => row.kind === OWN && row.value === String(own) && row.namedId === id.toLowerCase())

export const noSuchRecord = (id: string | undefined, path: string): Fault => ({
  message: `no record ${JSON.stringify(id)}`,
  path,
  hint: 'the id of a customer; without one, `data` with a phone number or an e-mail address finds or makes one',
})

/**
 * The customers that some processes are for: named by their ids, or found again by phone number, else by e-mail address,
 * and given the sent data; or new. A record that is merged must still be identified as it was found, one that is only
 * linked must still be there, and a number that is new to the team is unique in its table: so it stays one customer,
 * whoever else is writing about the same one.
 */
export async function planRecords(
  scope: Scope,
  sent: readonly (RequestedRecord | null)[],
  { known, entries }: { known?: readonly IdentityMatch[] | undefined; entries?: readonly number[] } = {},
): Promise<RecordPlan> {
  const wanted = sent.flatMap(each => (each === null ? [] : listRequestedValues(each)))
  const found = known ?? (await findIdentities(scope, wanted))
  const unknown = sent.find(each => each !== null && isUnknownRecord(each, found))
  if (unknown) throw invalid([noSuchRecord(unknown.id, '/body/record/id')])
  const { rids, drafts, identities } = draftRecords(sent, found, scope.now)
  const { removed, inserted, insertedIfFree } = identities
  const fresh = drafts.filter(draft => draft.found === null)
  const merges = drafts.flatMap(({ found: stored, ...draft }) =>
    stored !== null && (Object.keys(draft.set).length > 0 || draft.unset.length > 0)
      ? [{ ...draft, identifying: stored.identifying, bytes: stored.bytes, entry: entries?.[draft.lastSent] }]
      : [],
  )
  const words = drafts.map(({ rid, names, namesBefore }) => planWordsChange(rid, namesBefore, names))
  const merged = new Set([...fresh, ...merges].map(({ rid }) => rid))
  const linked = [...new Set(rids)].flatMap(rid => (rid === null || merged.has(rid) ? [] : [rid]))
  return {
    rids,
    ids: new Map(drafts.map(({ rid, id, found: stored }) => [rid, stored && id])),
    effect: [
      ...(linked.length > 0 ? [guardRecords(scope, linked)] : []),
      ...(removed.length > 0 ? [removeIdentities(scope, removed)] : []),
      ...(fresh.length > 0 ? [insertRecords(scope, fresh)] : []),
      ...updateRecords(scope, merges),
      ...(inserted.length > 0 ? [insertIdentities(scope, inserted)] : []),
      ...(insertedIfFree.length > 0 ? [insertFreeIdentities(scope, insertedIfFree)] : []),
      ...removeWords(
        scope,
        words.flatMap(({ removed }) => removed),
      ),
      ...insertWords(
        scope,
        words.flatMap(({ added }) => added),
      ),
    ],
  }
}

/** The change of one record, and of what identifies it. On a conflict it fails the transaction: see `isRecordConflict`. */
export function changeRecord(
  scope: Scope,
  found: { rid: number; id: string; identifying: string },
  { data, last, removed, inserted, insertedIfFree }: IdentityChange,
): Statement[] {
  const entries = Object.entries(data)
  const set = Object.fromEntries(entries.filter(([, value]) => value !== null))
  const unset = entries.flatMap(([name, value]) => (value === null ? [name] : []))
  const { names } = readIdentifying(found.identifying)
  const words = planWordsChange(found.rid, names, { ...names, ...data })
  return [
    ...(removed.length > 0 ? [removeIdentities(scope, removed)] : []),
    // Alone in its statement, however large it is.
    ...updateRecords(scope, entries.length === 0 ? [] : [{ ...found, bytes: 0, last, set, unset }]),
    ...(inserted.length > 0 ? [insertIdentities(scope, inserted)] : []),
    ...(insertedIfFree.length > 0 ? [insertFreeIdentities(scope, insertedIfFree)] : []),
    ...removeWords(scope, words.removed),
    ...insertWords(scope, words.added),
  ]
}

export interface NewRecordPlan {
  record: NewRecord
  /** Finds out who is known by the data: for `planRecords`, where somebody is. */
  lookup: Statement<IdentityMatch>
  /** Changes nothing where somebody is known; what follows it takes effect only `IF_CHANGED`. */
  effect: Statement[]
}

/**
 * One customer who is probably new: looked up in the transaction that writes them, so that it takes one round trip. Null
 * where the data identify nobody, or by more than a number and an address: then it is for `planRecords`.
 */
export function planNewRecord(scope: Scope, data: Record<string, unknown>): NewRecordPlan | null {
  const { otherPhones, otherEmails, ...identity } = listIdentities(data)
  const values = identityValues(data)
  if (values.length === 0 || otherPhones.length + otherEmails.length > 0) return null
  const id = newId(scope.now)
  const rid = toRowNo(id)
  const set = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null))
  const record = { rid, id, last: updateIdentityAttributes(data), set }
  return {
    record,
    lookup: selectIdentities(scope, values),
    effect: [
      insertRecordIfUnknown(scope, record, identity),
      insertIdentitiesIfChanged(scope, rid, identity),
      ...insertWordsIfChanged(scope, rid, set),
    ],
  }
}

/** Whether a transaction failed because another request wrote the same customer: it is to be planned again. */
export const isRecordConflict = (error: unknown): boolean =>
  isGuardFailure(error, RECORD_CHANGED) ||
  isUniqueViolation(error, 'record_identity.value') ||
  isUniqueViolation(error, 'record.rid')
