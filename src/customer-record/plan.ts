import { isGuardFailure, isUniqueViolation } from '../db/guard.ts'
import type { Statement } from '../db/statement.ts'
import { type Fault, invalid } from '../errors.ts'
import { newId, toRowNo } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { listIdentities, updateIdentityAttributes } from './identity-rules.ts'
import {
  findIdentities,
  type IdentityMatch,
  insertFreeIdentities,
  insertIdentities,
  insertIdentitiesIfChanged,
  readIdentifying,
  removeIdentities,
  selectIdentities,
} from './identity-statements.ts'
import { listIdentityValues, OWN } from './identity-values.ts'
import { insertWords, insertWordsIfChanged, planWordsChange, removeWords } from './name-words.ts'
import { draftRecords, listRequestedValues, type RequestedRecord } from './requested-records.ts'
import { guardRecords } from './rows.ts'
import { insertRecordIfUnknown, insertRecords, type NewRecord, RECORD_CHANGED, updateRecords } from './store.ts'
import type { IdentityChange } from './update-rules.ts'

interface RecordPlan {
  /** One row for each requested record, in the same order; null if none was requested. */
  rids: (number | null)[]
  /** The ids of the records by their rows; null for a new one. */
  ids: ReadonlyMap<number, string | null>
  /** Statements for the transaction that writes the processes. On a conflict they fail it, which `isRecordConflict` recognises. */
  effect: Statement[]
}

/** Tells whether a record is named by an id that none of the team has. `found` has all values of `listRequestedValues`. */
export const isUnknownRecord = ({ id, own }: RequestedRecord, found: readonly IdentityMatch[]): boolean =>
  id !== undefined &&
  !found.some(row => row.kind === OWN && row.value === String(own) && row.namedId === id.toLowerCase())

export const noSuchRecord = (id: string | undefined, path: string): Fault => ({
  message: `no record ${JSON.stringify(id)}`,
  path,
  hint: 'the id of a customer; without one, `data` with a phone number or an e-mail address finds or makes one',
})

/**
 * Plans the customers of some processes. They are named by their ids, or found by phone number, else by e-mail address, and
 * given the sent data; or they are new. A record that is changed must still be identified as it was found, one that is only
 * linked must still exist, and a number that is new to the team is unique in its table. So it stays one customer, whoever
 * else writes about the same one.
 */
export async function planRecords(
  scope: Scope,
  sent: readonly (RequestedRecord | null)[],
  { known, entries }: { known?: readonly IdentityMatch[] | undefined; entries?: readonly number[] } = {},
): Promise<RecordPlan> {
  const requested = sent.flatMap(each => (each === null ? [] : listRequestedValues(each)))
  const found = known ?? (await findIdentities(scope, requested))
  const unknown = sent.find(each => each !== null && isUnknownRecord(each, found))
  if (unknown) throw invalid([noSuchRecord(unknown.id, '/body/record/id')])
  const { rids, drafts, identities } = draftRecords(sent, found, scope.now)
  const { removed, inserted, insertedIfFree } = identities
  const fresh = drafts.filter(draft => draft.found === null)
  const changes = drafts.flatMap(({ found: stored, ...draft }) =>
    stored !== null && (Object.keys(draft.set).length > 0 || draft.unset.length > 0)
      ? [{ ...draft, identifying: stored.identifying, bytes: stored.bytes, entry: entries?.[draft.lastSent] }]
      : [],
  )
  const words = drafts.map(({ rid, names, namesBefore }) => planWordsChange(rid, namesBefore, names))
  const written = new Set([...fresh, ...changes].map(({ rid }) => rid))
  const linked = [...new Set(rids)].flatMap(rid => (rid === null || written.has(rid) ? [] : [rid]))
  return {
    rids,
    ids: new Map(drafts.map(({ rid, id, found: stored }) => [rid, stored && id])),
    effect: [
      ...(linked.length > 0 ? [guardRecords(scope, linked)] : []),
      ...(removed.length > 0 ? [removeIdentities(scope, removed)] : []),
      ...(fresh.length > 0 ? [insertRecords(scope, fresh)] : []),
      ...updateRecords(scope, changes),
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

/** Changes one record and its identifying values. On a conflict it fails the transaction, which `isRecordConflict` recognises. */
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
    // The update has a statement of its own, however large it is.
    ...updateRecords(scope, entries.length === 0 ? [] : [{ ...found, bytes: 0, last, set, unset }]),
    ...(inserted.length > 0 ? [insertIdentities(scope, inserted)] : []),
    ...(insertedIfFree.length > 0 ? [insertFreeIdentities(scope, insertedIfFree)] : []),
    ...removeWords(scope, words.removed),
    ...insertWords(scope, words.added),
  ]
}

export interface NewRecordPlan {
  record: NewRecord
  /** Finds out whom the data identify, for `planRecords`, if it is somebody. */
  lookup: Statement<IdentityMatch>
  /** Changes nothing if the data identify somebody. Statements after it take effect only `IF_CHANGED`. */
  effect: Statement[]
}

/**
 * Plans one customer who is probably new. The look-up is in the transaction that inserts them, so it takes one round trip.
 * Returns null if the data identify nobody, or by more than a number and an address: that is for `planRecords`.
 */
export function planNewRecord(scope: Scope, data: Record<string, unknown>): NewRecordPlan | null {
  const { otherPhones, otherEmails, ...identity } = listIdentities(data)
  const values = listIdentityValues(data)
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

/** Tells whether a transaction failed because another request wrote the same customer, so that it is to be planned again. */
export const isRecordConflict = (error: unknown): boolean =>
  isGuardFailure(error, RECORD_CHANGED) ||
  isUniqueViolation(error, 'record_identity.value') ||
  isUniqueViolation(error, 'record.rid')
