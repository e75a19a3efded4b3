import { isFullPhoneNumber, toIdentity } from '../customer-record/identity-rules.ts'
import { findIdentities, type IdentityMatch } from '../customer-record/identity-statements.ts'
import { listIdentityValues } from '../customer-record/identity-values.ts'
import { isUnknownRecord, noSuchRecord } from '../customer-record/plan.ts'
import { listRequestedValues, type RequestedRecord } from '../customer-record/requested-records.ts'
import { type Fault, invalid } from '../errors.ts'
import { isObject } from '../http/shapes.ts'
import { toRowNo, UUID } from '../ids.ts'
import type { Procedure } from '../procedure/model.ts'
import type { Scope } from '../scope.ts'
import type { Change } from './rules.ts'
import type { RecordInput } from './schema.ts'

/** A number that no row has. It stands for an id that cannot be one of ours. */
const NO_ROW = -1

/** Returns the customer that a request names for a process. `own` is the customer that the process has. */
export function toRequestedRecord({ id, data = {} }: RecordInput, own: number | null = null): RequestedRecord {
  if (id === undefined) return own === null ? { data } : { data, own }
  const rid = UUID.test(id) ? toRowNo(id) : NO_ROW
  return { data, id, own: Number.isSafeInteger(rid) ? rid : NO_ROW }
}

/**
 * Returns the customer of a new process. A request that names none means the one with the number in the procedure's phone
 * attribute: that customer is found or created, and what is stored of them is not changed. `null` means that there is none.
 */
export function toRequestedRecordOfNew(
  { phoneAttribute }: Pick<Procedure, 'phoneAttribute'>,
  { set }: Pick<Change, 'set'>,
  sent: RecordInput | null | undefined,
): RequestedRecord | null {
  if (sent) return toRequestedRecord(sent)
  if (sent === null || phoneAttribute === null || !Object.hasOwn(set, phoneAttribute)) return null
  const phone = set[phoneAttribute]
  const { phone: digits } = toIdentity({ phone })
  return digits !== null && isFullPhoneNumber(digits) ? { data: { phone }, ifNew: true } : null
}

/** Tells whether it depends on the process whom the data are about. */
export const identifiesNobody = ({ id, data = {} }: RecordInput): boolean =>
  id === undefined && listIdentityValues(data).length === 0

/** Finds what is wrong with the id that names the customer of an entry. `found` has all that was looked up for the step. */
export const findRecordFaults = (requested: RequestedRecord | null, found: readonly IdentityMatch[]): Fault[] =>
  requested && isUnknownRecord(requested, found) ? [noSuchRecord(requested.id, '/body/record/id')] : []

/** Refuses a bulk request that would give all matching processes to a customer whom the team does not have. */
export async function requireRecord(scope: Scope, sent: unknown, path: string): Promise<void> {
  if (!isObject(sent) || typeof sent.id !== 'string') return
  const requested = toRequestedRecord({ id: sent.id })
  if (isUnknownRecord(requested, await findIdentities(scope, listRequestedValues(requested))))
    throw invalid([noSuchRecord(sent.id, path)])
}
