import type { Customer } from 'caseworker'
import { isIdentifying } from '../parts/customer/customer-name.ts'

/** What somebody typed to find a customer: a number, an address, or words that identify nobody. */
export type Sought = { phone: string } | { email: string } | { words: string }

const NUMBER = /^\+?[\d\s().-]{4,40}$/

export function soughtBy(text: string): Sought {
  if (text.includes('@')) return { email: text }
  return NUMBER.test(text) && /\d/.test(text) ? { phone: text } : { words: text }
}

const isAddress = (name: string): boolean => /mail/i.test(name)

/** The first number, or the first address, that is known of a customer, and what it is called. */
export function givenIdentity(
  { data }: Pick<Customer, 'data'>,
  kind: 'phone' | 'email',
): { name: string; value: unknown } | undefined {
  const found = Object.entries(data).find(
    ([name, value]) => isIdentifying(name) && isAddress(name) === (kind === 'email') && value !== null && value !== '',
  )
  return found && { name: found[0], value: found[1] }
}
