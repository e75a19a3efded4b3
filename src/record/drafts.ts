import { newId, ridOf } from '../ids.ts'
import type { FoundIdentity, IdentityRow, IdentityValue } from './identity.ts'
import { IDENTITY_NAMES, type Identity, identityOf, type LastGiven, lastGiven, NOTHING_GIVEN } from './rules.ts'
import { EMAIL, PHONE } from './table.ts'

/** A record while the data of several processes are merged into it, one after the other. */
export interface RecordDraft {
  rid: number
  id: string
  /** As it is stored; null for a new one. */
  found: { identifying: string; identity: Identity; bytes: number } | null
  /** Its attributes that can identify it, with what was given so far. */
  data: Record<string, unknown>
  last: LastGiven
  set: Record<string, unknown>
  unset: string[]
  /** Which of the data was merged last. */
  lastSent: number
}

export interface IdentityChanges {
  removed: IdentityRow[]
  /** Looked up and free. The transaction fails if another record has one by then. */
  inserted: IdentityRow[]
  /** Values that identify a record since another value was removed. They were not looked up, and may be another record's. */
  insertedIfFree: IdentityRow[]
}

export const identityValues = ({ phone, email }: Identity): IdentityValue[] => [
  ...(phone === null ? [] : [{ kind: PHONE, value: phone }]),
  ...(email === null ? [] : [{ kind: EMAIL, value: email }]),
]

export const keyOfIdentity = ({ kind, value }: IdentityValue): string => `${kind} ${value}`

/**
 * Merges data into the records that they identify, by phone number, else by e-mail address; or into new ones. `found` has
 * the owners of all numbers and addresses in the data. A value that identifies another record stays with that record.
 */
export function draftRecords(
  sent: readonly (Record<string, unknown> | null)[],
  found: readonly FoundIdentity[],
  now: number,
) {
  const drafts = new Map<number, RecordDraft>()
  const owners = new Map<string, RecordDraft>()
  for (const row of found) {
    const draft = drafts.get(row.record) ?? draftOfFound(row)
    drafts.set(row.record, draft)
    owners.set(keyOfIdentity(row), draft)
  }
  // Only sent values were looked up. The others of a record are assumed to identify it.
  const lookedUp = new Set(
    sent.flatMap(data => (data === null ? [] : identityValues(identityOf(data)).map(keyOfIdentity))),
  )
  for (const draft of drafts.values())
    for (const key of identityValues(identityOf(draft.data, draft.last)).map(keyOfIdentity))
      if (!lookedUp.has(key) && !owners.has(key)) owners.set(key, draft)
  const foundOwners = new Map(owners)
  const rids = sent.map((data, nth) => {
    if (data === null) return null
    const values = identityValues(identityOf(data))
    const [known] = values.flatMap(value => owners.get(keyOfIdentity(value)) ?? [])
    const draft = known ?? startDraft(drafts, now)
    for (const value of identityValues(identityOf(draft.data, draft.last)))
      if (owners.get(keyOfIdentity(value)) === draft) owners.delete(keyOfIdentity(value))
    mergeData(draft, data)
    draft.lastSent = nth
    for (const value of identityValues(identityOf(draft.data, draft.last)))
      if (!owners.has(keyOfIdentity(value))) owners.set(keyOfIdentity(value), draft)
    return draft.rid
  })
  const identities = changesOf([...drafts.values()], { owners, foundOwners, lookedUp })
  return { rids, drafts: [...drafts.values()], identities }
}

function draftOfFound({ record, id, identifying, bytes }: FoundIdentity): RecordDraft {
  const { data, ...last } = JSON.parse(identifying) as LastGiven & { data: Record<string, unknown> }
  return {
    rid: record,
    id,
    found: { identifying, identity: identityOf(data, last), bytes },
    data,
    last,
    set: Object.create(null) as Record<string, unknown>,
    unset: [],
    lastSent: 0,
  }
}

function startDraft(drafts: Map<number, RecordDraft>, now: number): RecordDraft {
  const id = newId(now)
  const rid = ridOf(id)
  if (drafts.has(rid)) return startDraft(drafts, now)
  const set = Object.create(null) as Record<string, unknown>
  const draft: RecordDraft = { rid, id, found: null, data: {}, last: NOTHING_GIVEN, set, unset: [], lastSent: 0 }
  drafts.set(rid, draft)
  return draft
}

function mergeData(draft: RecordDraft, data: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(data)) {
    if (value !== null) draft.set[name] = value
    else {
      delete draft.set[name]
      draft.unset.push(name)
    }
    if (IDENTITY_NAMES.includes(name)) draft.data[name] = value
  }
  draft.unset = [...new Set(draft.unset)].filter(name => !Object.hasOwn(draft.set, name))
  draft.last = lastGiven(data, draft.last)
}

interface Ownership {
  owners: ReadonlyMap<string, RecordDraft>
  foundOwners: ReadonlyMap<string, RecordDraft>
  lookedUp: ReadonlySet<string>
}

function changesOf(drafts: readonly RecordDraft[], { owners, foundOwners, lookedUp }: Ownership): IdentityChanges {
  const changes: IdentityChanges = { removed: [], inserted: [], insertedIfFree: [] }
  for (const { rid, found, ...draft } of drafts) {
    const owns = (of: ReadonlyMap<string, RecordDraft>, value: IdentityValue) =>
      of.get(keyOfIdentity(value))?.rid === rid
    for (const value of found ? identityValues(found.identity) : [])
      if (owns(foundOwners, value) && !owns(owners, value)) changes.removed.push({ ...value, record: rid })
    for (const value of identityValues(identityOf(draft.data, draft.last))) {
      if (!owns(owners, value) || owns(foundOwners, value)) continue
      const inserted = lookedUp.has(keyOfIdentity(value)) ? changes.inserted : changes.insertedIfFree
      inserted.push({ ...value, record: rid })
    }
  }
  return changes
}
