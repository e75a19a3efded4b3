import { identityValues } from './drafts.ts'
import type { IdentityRow, IdentityValue } from './identity.ts'
import { type IdentityAttributes, keepOthers, updateIdentityAttributes } from './rules.ts'

/** What a change of a record's data does to the numbers and addresses that identify it. */
export interface IdentityChange {
  /** What is merged: what was sent, and what `keepOthers` adds to it. */
  data: Record<string, unknown>
  last: IdentityAttributes
  removed: IdentityRow[]
  /** Sent, and free when they were looked up. The transaction fails if another record has one by then. */
  inserted: IdentityRow[]
  /** They identify the record since another value was removed, and may be another record's: then they stay there. */
  insertedIfFree: IdentityRow[]
  /** Sent, new to this record, and another record's: the change is refused. */
  taken: IdentityRow[]
}

interface ChangedCustomer extends IdentityAttributes {
  rid: number
  data: Record<string, unknown>
}

/**
 * The same rule as `draftRecords`, for a record that is named by its id: a value of another record is not taken from it.
 * Where a create keeps such a value as plain data, a change of one record is refused: its caller can correct it. A value
 * that the record had before is no change.
 */
export function changeIdentity(
  { rid, ...before }: ChangedCustomer,
  sent: Record<string, unknown>,
  owners: readonly IdentityRow[],
): IdentityChange {
  const last = updateIdentityAttributes(sent, before)
  const data = keepOthers(sent, before.data, before)
  const [had, has] = [identityValues(before.data, before), identityValues({ ...before.data, ...data }, last)]
  const given = identityValues(sent)
  const change: IdentityChange = { data, last, removed: [], inserted: [], insertedIfFree: [], taken: [] }
  for (const value of had) if (!has.some(isSame(value))) change.removed.push({ ...value, record: rid })
  for (const value of has) {
    const isNew = !had.some(isSame(value))
    const owner = owners.find(isSame(value))
    if (!given.some(isSame(value))) {
      if (isNew) change.insertedIfFree.push({ ...value, record: rid })
    } else if (owner === undefined) change.inserted.push({ ...value, record: rid })
    else if (owner.record !== rid && isNew) change.taken.push(owner)
  }
  return change
}

const isSame =
  (one: IdentityValue) =>
  (other: IdentityValue): boolean =>
    one.kind === other.kind && one.value === other.value

/** The attribute of some data that holds an identifying value: where a fault points to. */
export function findIdentityName(sent: Record<string, unknown>, { value }: IdentityValue): string {
  const holds = (name: string) => identityValues({ [name]: sent[name] }).some(each => each.value === value)
  return Object.keys(sent).find(holds) ?? ''
}
