import { newId, toRowNo } from '../ids.ts'
import {
  IDENTITY_NAMES,
  type IdentityAttributes,
  keepOthers,
  NAME_NAMES,
  NO_IDENTITY_ATTRIBUTES,
  updateIdentityAttributes,
} from './identity-rules.ts'
import { type IdentityMatch, readIdentifying } from './identity-statements.ts'
import { type IdentityRow, type IdentityValue, listIdentityValues, OWN, toIdentityKey } from './identity-values.ts'

/** A record while the data of several processes are set on it, one after the other. */
interface RecordDraft {
  rid: number
  id: string
  /** The record as it is stored; null for a new one. */
  found: { identifying: string; values: IdentityValue[]; bytes: number } | null
  /** The attributes that can identify it, including the values that were set so far. */
  data: Record<string, unknown>
  /** The attributes with its name, with the values that were set so far, and as they are stored. */
  names: Record<string, unknown>
  namesBefore: Record<string, unknown>
  last: IdentityAttributes
  set: Record<string, unknown>
  unset: string[]
  /** The index of the data that were set last. */
  lastSent: number
}

interface IdentityChanges {
  removed: IdentityRow[]
  /** Values that were looked up and are free. The transaction fails if another record has one by then. */
  inserted: IdentityRow[]
  /** Values that identify a record since another value was removed. They were not looked up, and may be another record's. */
  insertedIfFree: IdentityRow[]
}

/** The customer whom a process is to have. */
export interface RequestedRecord {
  /** The attributes that are set on the record. Without an `id` they identify it: by phone number, else by e-mail address. */
  data: Record<string, unknown>
  /** The row of the record that is meant if the data identify nobody; with an `id`, whatever they say. */
  own?: number | undefined
  /** The id in the request; `own` is its row. */
  id?: string
  /** Whether the data are only for a new record. A customer who exists stays as they are. */
  ifNew?: true
}

/** Lists the values that have to be looked up for a requested record. The first one that is found says which record it is. */
export function listRequestedValues({ data, own, id }: RequestedRecord): IdentityValue[] {
  const values = listIdentityValues(data)
  if (own === undefined || (id === undefined && values.length > 0)) return values
  return [{ kind: OWN, value: String(own) }, ...values]
}

/**
 * Sets data on the requested records. These are named by id, or identified by phone number, else by e-mail address; or the
 * process has them already; or they are new. `found` has the owners of all values of `listRequestedValues`. A value that
 * identifies another record stays with that record.
 */
export function draftRecords(sent: readonly (RequestedRecord | null)[], found: readonly IdentityMatch[], now: number) {
  const drafts = new Map<number, RecordDraft>()
  const owners = new Map<string, RecordDraft>()
  for (const row of found) {
    const draft = drafts.get(row.record) ?? toFoundDraft(row)
    drafts.set(row.record, draft)
    owners.set(toIdentityKey(row), draft)
  }
  // Only sent values were looked up. The other values of a record are assumed to identify it.
  const lookedUp = new Set(
    sent.flatMap(each => (each === null ? [] : listIdentityValues(each.data).map(toIdentityKey))),
  )
  for (const draft of drafts.values())
    for (const key of listIdentityValues(draft.data, draft.last).map(toIdentityKey))
      if (!lookedUp.has(key) && !owners.has(key)) owners.set(key, draft)
  const foundOwners = new Map(owners)
  const rids = sent.map((wanted, nth) => {
    if (wanted === null) return null
    const [known] = listRequestedValues(wanted).flatMap(value => owners.get(toIdentityKey(value)) ?? [])
    if (known && wanted.ifNew) return known.rid
    const draft = known ?? startDraft(drafts, now)
    for (const value of listIdentityValues(draft.data, draft.last))
      if (owners.get(toIdentityKey(value)) === draft) owners.delete(toIdentityKey(value))
    setData(draft, keepOthers(wanted.data, draft.data, draft.last))
    draft.lastSent = nth
    for (const value of listIdentityValues(draft.data, draft.last))
      if (!owners.has(toIdentityKey(value))) owners.set(toIdentityKey(value), draft)
    return draft.rid
  })
  const identities = listFieldChanges([...drafts.values()], { owners, foundOwners, lookedUp })
  return { rids, drafts: [...drafts.values()], identities }
}

function toFoundDraft({ record, id, identifying, bytes }: IdentityMatch): RecordDraft {
  const { data, names, ...last } = readIdentifying(identifying)
  return {
    rid: record,
    id,
    found: { identifying, values: listIdentityValues(data, last), bytes },
    data,
    names,
    namesBefore: { ...names },
    last,
    set: Object.create(null) as Record<string, unknown>,
    unset: [],
    lastSent: 0,
  }
}

function startDraft(drafts: Map<number, RecordDraft>, now: number): RecordDraft {
  const id = newId(now)
  const rid = toRowNo(id)
  if (drafts.has(rid)) return startDraft(drafts, now)
  const set = Object.create(null) as Record<string, unknown>
  const draft: RecordDraft = {
    rid,
    id,
    found: null,
    data: {},
    names: {},
    namesBefore: {},
    last: NO_IDENTITY_ATTRIBUTES,
    set,
    unset: [],
    lastSent: 0,
  }
  drafts.set(rid, draft)
  return draft
}

function setData(draft: RecordDraft, data: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(data)) {
    if (value !== null) draft.set[name] = value
    else {
      delete draft.set[name]
      draft.unset.push(name)
    }
    if (IDENTITY_NAMES.includes(name)) draft.data[name] = value
    if (NAME_NAMES.includes(name)) draft.names[name] = value
  }
  draft.unset = [...new Set(draft.unset)].filter(name => !Object.hasOwn(draft.set, name))
  draft.last = updateIdentityAttributes(data, draft.last)
}

interface Ownership {
  owners: ReadonlyMap<string, RecordDraft>
  foundOwners: ReadonlyMap<string, RecordDraft>
  lookedUp: ReadonlySet<string>
}

function listFieldChanges(
  drafts: readonly RecordDraft[],
  { owners, foundOwners, lookedUp }: Ownership,
): IdentityChanges {
  const changes: IdentityChanges = { removed: [], inserted: [], insertedIfFree: [] }
  for (const { rid, found, ...draft } of drafts) {
    const owns = (of: ReadonlyMap<string, RecordDraft>, value: IdentityValue) =>
      of.get(toIdentityKey(value))?.rid === rid
    for (const value of found?.values ?? [])
      if (owns(foundOwners, value) && !owns(owners, value)) changes.removed.push({ ...value, record: rid })
    for (const value of listIdentityValues(draft.data, draft.last)) {
      if (!owns(owners, value) || owns(foundOwners, value)) continue
      const inserted = lookedUp.has(toIdentityKey(value)) ? changes.inserted : changes.insertedIfFree
      inserted.push({ ...value, record: rid })
    }
  }
  return changes
}
