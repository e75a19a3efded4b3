import type { Customer } from 'caseworker'

import { stripBidi } from '../text/strip-bidi.ts'

export const NAMES: readonly string[] = ['name', 'full_name', 'fullName', 'first_name', 'firstName']
const IDENTIFYING = ['phone', 'phone_number', 'phoneNumber', 'mobile', 'email', 'email_address', 'emailAddress']

/** Returns the name of a customer, or else the number, address or id that identifies the customer. */
export function formatCustomerName({ data, id }: Pick<Customer, 'data' | 'id'>): string {
  const name = [...NAMES, ...IDENTIFYING]
    .map(each => data[each])
    .find(value => typeof value === 'string' && value !== '')
  return typeof name === 'string' ? stripBidi(name) : `Customer ${id.slice(-8)}`
}

/** Returns whether an attribute identifies customers. */
export const isIdentifying = (name: string): boolean => IDENTIFYING.includes(name)

const isAddress = (name: string): boolean => /mail/i.test(name)

/** The first number, or the first address, that is known of a customer, and what it is called. */
export function findIdentity(
  { data }: Pick<Customer, 'data'>,
  kind: 'phone' | 'email',
): { name: string; value: unknown } | undefined {
  const found = Object.entries(data).find(
    ([name, value]) => isIdentifying(name) && isAddress(name) === (kind === 'email') && value !== null && value !== '',
  )
  return found && { name: found[0], value: found[1] }
}
