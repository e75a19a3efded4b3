/** The search for a customer: by a phone number, an address, or words of a name. */
type CustomerQuery = { phone: string } | { email: string } | { words: string }

const NUMBER = /^\+?[\d\s()./-]{4,40}$/

export function parseSearch(text: string): CustomerQuery {
  if (text.includes('@')) return { email: text }
  return NUMBER.test(text) && /\d/.test(text) ? { phone: text } : { words: text }
}
