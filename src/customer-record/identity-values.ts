import { type IdentityAttributes, listEmails, listIdentities, listPhones } from './identity-rules.ts'
import { EMAIL, PHONE } from './table.ts'

/** A phone number or an e-mail address, normalised. */
export interface IdentityValue {
  kind: number
  value: string
}

/** The kind of a value that is the row number of a record itself. */
export const OWN = 0

/** An identifying value, and the record that it identifies. */
export interface IdentityRow extends IdentityValue {
  record: number
}

const toValues = (kind: number, values: readonly (string | null)[]): IdentityValue[] =>
  values.flatMap(value => (value === null ? [] : [{ kind, value }]))

/** Lists the values by which some data identify a record. The number and the address that count come first. */
export function listIdentityValues(data: Record<string, unknown>, last?: IdentityAttributes): IdentityValue[] {
  const { phone, email, otherPhones, otherEmails } = listIdentities(data, last)
  return [
    ...toValues(PHONE, [phone]),
    ...toValues(EMAIL, [email]),
    ...toValues(PHONE, otherPhones),
    ...toValues(EMAIL, otherEmails),
  ]
}

/** Lists all values by which some data might identify a record, under whichever name they stand. */
export const listPossibleValues = (data: Record<string, unknown>): IdentityValue[] => [
  ...toValues(PHONE, listPhones(data)),
  ...toValues(EMAIL, listEmails(data)),
]

export const toIdentityKey = ({ kind, value }: IdentityValue): string => `${kind} ${value}`
