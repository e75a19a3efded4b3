import { type IdentityAttributes, keepOthers, updateIdentityAttributes } from './identity-rules.ts'
import { type IdentityRow, type IdentityValue, listIdentityValues } from './identity-values.ts'

/** The effect of a change of a record's data on the numbers and addresses that identify it. */
export interface IdentityChange {
  /** The attributes that are set: those that were sent, and those that `keepOthers` adds. */
  data: Record<string, unknown>
  last: IdentityAttributes
  removed: IdentityRow[]
  /** Values that were sent, and free when they were looked up. The transaction fails if another record has one by then. */
  inserted: IdentityRow[]
  /** Values that identify the record since another one was removed. If they are another record's, they stay there. */
  insertedIfFree: IdentityRow[]
  /** Values that were sent, are new to this record, and belong to another one. The change is refused. */
  taken: IdentityRow[]
}

interface ChangedRecord extends IdentityAttributes {
  rid: number
  data: Record<string, unknown>
}

/**
 * Applies the rule of `draftRecords` to a record that is named by its id: a value of another record is not taken from it. A
 * create keeps such a value as plain data, but a change of one record is refused, because its caller can correct it. A value
 * that the record had before is no change.
 */
export function changeIdentity(
  { rid, ...before }: ChangedRecord,
  sent: Record<string, unknown>,
  owners: readonly IdentityRow[],
): IdentityChange {
  const last = updateIdentityAttributes(sent, before)
  const data = keepOthers(sent, before.data, before)
  const [had, has] = [listIdentityValues(before.data, before), listIdentityValues({ ...before.data, ...data }, last)]
  const given = listIdentityValues(sent)
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

/** Returns the attribute that holds an identifying value, to which a fault points. */
export function findIdentityName(sent: Record<string, unknown>, { value }: IdentityValue): string {
  const holds = (name: string) => listIdentityValues({ [name]: sent[name] }).some(each => each.value === value)
  return Object.keys(sent).find(holds) ?? ''
}
