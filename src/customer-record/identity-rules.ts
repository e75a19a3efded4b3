/** The attributes that identify a customer, in order of preference. All other attributes are free. */
export const PHONE_NAMES = ['phone', 'phone_number', 'phoneNumber', 'mobile']
export const EMAIL_NAMES = ['email', 'email_address', 'emailAddress']
/** Lists of further values that identify a customer, as a merge of two customers leaves them. */
export const OTHER_PHONES = 'other_phones'
export const OTHER_EMAILS = 'other_emails'
export const IDENTITY_NAMES = [...PHONE_NAMES, ...EMAIL_NAMES, OTHER_PHONES, OTHER_EMAILS]

/** The values of such a list. Further ones identify nobody. */
export const OTHERS_MAX = 50

/** The attributes by whose words a customer is found. */
export const NAME_NAMES = [
  'name',
  'full_name',
  'fullName',
  'first_name',
  'firstName',
  'last_name',
  'lastName',
  'company',
]

/** A phone number and an e-mail address, normalised. */
export interface Identity {
  phone: string | null
  email: string | null
}

/** The attributes that the customer gave last, if several can hold a phone number or an e-mail address. */
export interface IdentityAttributes {
  phoneName: string | null
  emailName: string | null
}

/** All values by which some data identify a customer: the number and the address that count, and the others. */
interface RecordIdentities extends Identity {
  otherPhones: string[]
  otherEmails: string[]
}

export const NO_IDENTITY_ATTRIBUTES: IdentityAttributes = { phoneName: null, emailName: null }

/** Tells whether a spreadsheet has shortened a long number, as `9.19448E+11`, and its last digits are lost. */
export const isShortenedNumber = (text: string): boolean => /^\s*\+?\d+([.,]\d*)?e[+-]?\d+\s*$/i.test(text)

/**
 * Reduces a phone number to its digits, without the plus sign or the zeros that stand for it, and without the "(0)" after a
 * country code, which is dialled inside the country only. A shortened number is none: its digits would be another's. Nor are
 * zeros alone, which stand where no number is known: all such people would be one.
 */
export const normalisePhone = (value: unknown): string | null => {
  if (typeof value === 'string' && isShortenedNumber(value)) return null
  const text = String(value)
  const digits = (/^\s*(\+|00)/.test(text) ? text.replace('(0)', '') : text).replace(/\D/g, '').replace(/^00/, '')
  return /^0*$/.test(digits) ? null : digits
}

export const PHONE_DIGITS_MIN = 7
export const PHONE_DIGITS_MAX = 15

/** Tells whether a number can receive messages: it has a country code, which never begins with 0. */
export const isFullPhoneNumber = (digits: string): boolean =>
  digits.length >= PHONE_DIGITS_MIN && digits.length <= PHONE_DIGITS_MAX && !digits.startsWith('0')

const PHONE_ALONE = /^[\s\p{Cf}(]*(\+[\s\p{Cf}(]*)?\d[\d\s()./\p{Pd}\p{Cf}]*$/u

/**
 * Tells whether a value is one number in some spelling, with nothing beside it. With the digits of a note, an extension or a
 * second number it still identifies its customer, but a message would go to somebody else.
 */
export const isPhoneAlone = (value: unknown): boolean => PHONE_ALONE.test(String(value))

/** An address has something on both sides of its `@`. */
export const normaliseEmail = (value: unknown): string | null => {
  const email = String(value).trim().toLowerCase()
  return email.slice(1, -1).includes('@') ? email : null
}

interface IdentityValues {
  name: string | null
  value: string | null
}

function findFirstGiven(
  data: Record<string, unknown>,
  names: readonly (string | null)[],
  normalise: (value: unknown) => string | null,
): IdentityValues {
  for (const name of names) {
    if (name === null || !Object.hasOwn(data, name)) continue
    const sent = data[name]
    const value = typeof sent === 'string' || typeof sent === 'number' ? normalise(sent) : null
    if (value !== null) return { name, value }
  }
  return { name: null, value: null }
}

const findPhone = (data: Record<string, unknown>, last: string | null): IdentityValues =>
  findFirstGiven(data, [last, ...PHONE_NAMES], normalisePhone)
const findEmail = (data: Record<string, unknown>, last: string | null): IdentityValues =>
  findFirstGiven(data, [last, ...EMAIL_NAMES], normaliseEmail)

/** Returns the phone number and e-mail address of some data. Look-up, `record_identity` and recipients all follow this rule. */
export const toIdentity = (
  data: Record<string, unknown>,
  last: IdentityAttributes = NO_IDENTITY_ATTRIBUTES,
): Identity => ({
  phone: findPhone(data, last.phoneName).value,
  email: findEmail(data, last.emailName).value,
})

function listOthers(
  data: Record<string, unknown>,
  name: typeof OTHER_PHONES | typeof OTHER_EMAILS,
  normalise: (value: unknown) => string | null,
): string[] {
  const sent = Object.hasOwn(data, name) ? data[name] : undefined
  if (!Array.isArray(sent)) return []
  const values = sent
    .slice(0, OTHERS_MAX)
    .flatMap((value: unknown) =>
      typeof value === 'string' || typeof value === 'number' ? (normalise(value) ?? []) : [],
    )
  return [...new Set(values)]
}

/** Returns the same with the further numbers and addresses that identify the customer. */
export function listIdentities(
  data: Record<string, unknown>,
  last: IdentityAttributes = NO_IDENTITY_ATTRIBUTES,
): RecordIdentities {
  const main = toIdentity(data, last)
  return {
    ...main,
    otherPhones: listOthers(data, OTHER_PHONES, normalisePhone).filter(value => value !== main.phone),
    otherEmails: listOthers(data, OTHER_EMAILS, normaliseEmail).filter(value => value !== main.email),
  }
}

/**
 * Returns the data that are set on a record whose number or address gives way to one of its further ones. The former
 * takes its place among these, or else a customer who writes from either number would become two again.
 */
export function keepOthers(
  sent: Record<string, unknown>,
  before: Record<string, unknown>,
  last: IdentityAttributes,
): Record<string, unknown> {
  const had = listIdentities(before, last)
  const has = toIdentity({ ...before, ...sent }, updateIdentityAttributes(sent, last))
  const swapped = (name: string, others: readonly string[], from: string | null, to: string | null) =>
    from === null || to === null || from === to || Object.hasOwn(sent, name) || !others.includes(to)
      ? {}
      : { [name]: [from, ...others.filter(value => value !== to)] }
  const others = {
    ...swapped(OTHER_PHONES, had.otherPhones, had.phone, has.phone),
    ...swapped(OTHER_EMAILS, had.otherEmails, had.email, has.email),
  }
  return Object.keys(others).length === 0 ? sent : { ...sent, ...others }
}

/** Returns the attributes that count after some data were set on a record. */
export const updateIdentityAttributes = (
  sent: Record<string, unknown>,
  before: IdentityAttributes = NO_IDENTITY_ATTRIBUTES,
): IdentityAttributes => ({
  phoneName: findPhone(sent, null).name ?? before.phoneName,
  emailName: findEmail(sent, null).name ?? before.emailName,
})

/** Lists every phone number in some data, under whichever name. */
export const listPhones = (data: Record<string, unknown>): string[] => [
  ...new Set([
    ...PHONE_NAMES.flatMap(name => findFirstGiven(data, [name], normalisePhone).value ?? []),
    ...listOthers(data, OTHER_PHONES, normalisePhone),
  ]),
]

/** Lists every e-mail address in some data, under whichever name. */
export const listEmails = (data: Record<string, unknown>): string[] => [
  ...new Set([
    ...EMAIL_NAMES.flatMap(name => findFirstGiven(data, [name], normaliseEmail).value ?? []),
    ...listOthers(data, OTHER_EMAILS, normaliseEmail),
  ]),
]

/** Returns the phone number to which messages to a record are sent, and the attribute that has it. */
export const findRecordPhone = ({ data, phoneName }: { data: Record<string, unknown>; phoneName: string | null }) =>
  findPhone(data, phoneName)
