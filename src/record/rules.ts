/** A record's attributes are free; these are the ones by which a customer is known again, in order of preference. */
const PHONE_NAMES = ['phone', 'phone_number', 'phoneNumber', 'mobile']
const EMAIL_NAMES = ['email', 'email_address', 'emailAddress']

export interface Identity {
  phone: string | null
  email: string | null
}

/** Digits only, without the plus sign or the zeros that stand for it. */
export const normalisePhone = (value: unknown): string | null => {
  const digits = String(value).replace(/\D/g, '').replace(/^00/, '')
  return digits === '' ? null : digits
}

const normaliseEmail = (value: unknown): string | null => {
  const email = String(value).trim().toLowerCase()
  return email.includes('@') ? email : null
}

export function identityOf(data: Record<string, unknown>): Identity {
  const first = (names: string[], normalise: (value: unknown) => string | null) => {
    const name = names.find(each => typeof data[each] === 'string' || typeof data[each] === 'number')
    return name === undefined ? null : normalise(data[name])
  }
  return { phone: first(PHONE_NAMES, normalisePhone), email: first(EMAIL_NAMES, normaliseEmail) }
}
