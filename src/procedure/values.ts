import {
  isFullPhoneNumber,
  isShortenedNumber,
  normalisePhone,
  PHONE_DIGITS_MAX,
  PHONE_DIGITS_MIN,
} from '../customer-record/identity-rules.ts'
import type { Fault } from '../errors.ts'
import { readTimestamp } from '../http/request/timestamp.ts'
import { createHint, listWords } from '../suggest.ts'
import { ATTRIBUTE_TYPES, type Attribute, INDEXED_LIST_LENGTH_MAX, INDEXED_TEXT_LENGTH_MAX, TRUTHS } from './model.ts'

/** The depth of a JSON value. SQLite refuses documents that are far deeper than anybody means. */
const DEPTH_MAX = 64
const LIST_LENGTH_MAX = 1_000
/** The length of any other list at the top of an attribute: a filter goes through all of it for each of its conditions. */
const FREE_LIST_LENGTH_MAX = 10_000
/** The digits of a number in text. One with more would equal its neighbours. */
const DIGITS_MAX = 15

/** Tells whether a number is the one that was sent. A whole number beyond 2^53 has lost its last digits, and may be another's id. */
export const isExactNumber = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))

export const SEND_AS_TEXT = 'send it as text, because a number of so many digits loses the last ones'

/** The members of an attribute on which its values depend. The client's own type has as many. */
type ValueRules = Pick<Attribute, 'type' | 'required' | 'indexed'> & { values?: Attribute['values'] | undefined }

type ValueFault = Omit<Fault, 'path'>

/** A value as it is stored, or its fault. */
type CheckedValue = { value: unknown } | { fault: ValueFault }

/** A fault of the length, or of the characters, which stands alone. */
const refuse = (fault: ValueFault): CheckedValue => ({ fault })

/** A fault that says what a value, or one of a list, must be: whoever reports it may quote the one that is refused. */
const refuseValue = (refused: unknown, required: string, hint?: ValueFault['hint']): CheckedValue => ({
  fault: { message: `must be ${required}`, refused, hint },
})

/**
 * Checks a value, and returns it as it is stored, or its fault. Only three values change: a lossless numeric string becomes its
 * number, a time its milliseconds, and a phone number its digits.
 */
export const checkValue = (attribute: ValueRules, value: unknown): CheckedValue =>
  findMisreadTime(attribute, value) ?? checkStored(attribute, value)

/** Checks a value that was stored before, as an undo, a revert or a restore has it: what looks like seconds was sent as ISO 8601. */
export function checkStored(attribute: ValueRules, value: unknown): CheckedValue {
  const checked = checkFit(attribute, value)
  if ('fault' in checked || !attribute.indexed) return checked
  const fault = checkIndexed(checked.value)
  return fault === undefined ? checked : refuse({ message: fault })
}

/** Checks all but the bounds of an index: a value that is older than the index may be too large for it. */
function checkFit(attribute: ValueRules, value: unknown): CheckedValue {
  const plain = checkJson(value)
  if (plain !== undefined) return refuse(plain)
  const checked = checkType(attribute, value)
  // Forms and no-code tools send an empty text for a value that is not set.
  const isUnset = 'fault' in checked && value === '' && !attribute.required
  return isUnset ? { ...checked, fault: { ...checked.fault, hint: 'null' } } : checked
}

/** Checks a value of a filter, which for a list is one of its elements. It is converted and refused as a stored one would be. */
export const checkCompared = (attribute: ValueRules, value: unknown): CheckedValue =>
  findMisreadTime(attribute, value) ??
  checkFit(ATTRIBUTE_TYPES[attribute.type] === 'list' ? getItem(attribute) : attribute, value)

/** By characters, as the database counts: some have a length of two in JavaScript. */
const isTooLong = (text: string): boolean =>
  text.length > INDEXED_TEXT_LENGTH_MAX && [...text].length > INDEXED_TEXT_LENGTH_MAX

/** Returns why a value cannot be indexed. `index/statements.ts` applies the same bounds to values that were stored before. */
function checkIndexed(value: unknown): string | undefined {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (texts.length > INDEXED_LIST_LENGTH_MAX) return `has an index, and holds at most ${INDEXED_LIST_LENGTH_MAX} values`
  return texts.some(text => typeof text === 'string' && isTooLong(text))
    ? `has an index, and holds at most ${INDEXED_TEXT_LENGTH_MAX} characters${Array.isArray(value) ? ' in each value' : ''}`
    : undefined
}

/** Checks a value of an undeclared attribute. */
export function checkUndeclared(value: unknown): CheckedValue {
  const fault = checkJson(value)
  return fault === undefined ? checkFree(value) : refuse(fault)
}

const checkFree = (value: unknown): CheckedValue =>
  Array.isArray(value) && value.length > FREE_LIST_LENGTH_MAX
    ? refuse({ message: `a list holds at most ${FREE_LIST_LENGTH_MAX} values` })
    : { value }

/** Finds what no attribute may have, declared or not. */
export function checkJson(value: unknown, depth = 1): Omit<Fault, 'path'> | undefined {
  if (typeof value === 'string') return checkCharacters(value)
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { message: 'the number is too large' }
  if (typeof value !== 'object' || value === null) return undefined
  if (depth > DEPTH_MAX) return { message: `the value is nested more than ${DEPTH_MAX} levels deep` }
  return Array.isArray(value) ? checkItems(value, depth) : checkMembers(value as Record<string, unknown>, depth)
}

function checkItems(list: readonly unknown[], depth: number): Omit<Fault, 'path'> | undefined {
  for (const inner of list) {
    const fault = checkJson(inner, depth + 1)
    if (fault !== undefined) return fault
  }
  return undefined
}

function checkMembers(object: Record<string, unknown>, depth: number): Omit<Fault, 'path'> | undefined {
  for (const name of Object.keys(object)) {
    const fault = name.isWellFormed() ? checkJson(object[name], depth + 1) : { message: 'a name is not valid Unicode' }
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Refuses NUL and invalid Unicode. SQLite reads a text out of JSON only up to a NUL: the rest would not count in a filter or a primary key. */
function checkCharacters(text: string): Omit<Fault, 'path'> | undefined {
  if (!text.isWellFormed()) return { message: 'must be valid Unicode' }
  return text.includes('\0') ? { message: 'must have no NUL character in it' } : undefined
}

function checkType(attribute: ValueRules, value: unknown): CheckedValue {
  const { type } = attribute
  switch (ATTRIBUTE_TYPES[type]) {
    case 'document':
      return type === 'geolocation' && !isPlace(value)
        ? refuse({ message: 'a geolocation is [latitude, longitude] or {latitude, longitude}' })
        : checkFree(value)
    case 'list':
      return checkList(attribute, value)
    case 'boolean':
      return typeof value === 'boolean' ? { value } : refuseValue(value, 'true or false', suggestBoolean(value))
    case 'number':
      return checkNumber(attribute, value)
    case 'moment':
      return checkTime(value)
    case 'text':
      return checkText(attribute, value)
  }
}

const sets = new WeakMap<readonly (string | number)[], Set<string | number>>()

/** Returns the allowed values as a set: up to 1,000 values of each of hundreds of attributes are looked up in 1,000 allowed ones. */
function toSet(allowed: readonly (string | number)[]): Set<string | number> {
  const set = sets.get(allowed) ?? new Set(allowed)
  sets.set(allowed, set)
  return set
}

const isNumber = (value: unknown): value is number => typeof value === 'number'
const TRUTH_CELLS = 'in a file also yes or no, 1 or 0'

/** Suggests the value that a word means. In a cell of a file such words are values, so they do not come here. */
function suggestBoolean(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const truth = TRUTHS.get(String(value).toLowerCase())
  if (truth !== undefined) return String(truth)
  return typeof value === 'string' ? TRUTH_CELLS : undefined
}

function isPlace(value: unknown): boolean {
  const [latitude, longitude, ...more] = Array.isArray(value)
    ? value
    : typeof value === 'object' && value !== null
      ? [Reflect.get(value, 'latitude'), Reflect.get(value, 'longitude')]
      : []
  return (
    more.length === 0 &&
    isNumber(latitude) &&
    isNumber(longitude) &&
    Math.abs(latitude) <= 90 &&
    Math.abs(longitude) <= 180
  )
}

const ITEM_TYPE = {
  multiString: 'string',
  multiPhoto: 'photo',
  multiStringEnum: 'stringEnum',
  multiIntegerEnum: 'integerEnum',
  multiFloatEnum: 'floatEnum',
} as const

const items = new WeakMap<ValueRules, ValueRules>()

/** Returns the attribute for which each value of a list must be valid. */
function getItem(list: ValueRules): ValueRules {
  const item = items.get(list) ?? { ...list, type: ITEM_TYPE[list.type as keyof typeof ITEM_TYPE] }
  items.set(list, item)
  return item
}

const HINTED_LENGTH_MAX = 100

/** Suggests a list if one value was sent for an attribute of lists. */
const suggestList = (value: unknown): string | undefined =>
  (isNumber(value) && isExactNumber(value)) || (typeof value === 'string' && value.length <= HINTED_LENGTH_MAX)
    ? JSON.stringify([value])
    : undefined

function checkList(attribute: ValueRules, value: unknown): CheckedValue {
  if (!Array.isArray(value)) return refuseValue(value, 'a list', suggestList(value))
  if (value.length > LIST_LENGTH_MAX) return refuse({ message: `a list holds at most ${LIST_LENGTH_MAX} values` })
  const item = getItem(attribute)
  const values: unknown[] = []
  for (const each of value) {
    const checked = checkType(item, each)
    if ('fault' in checked) return checked
    values.push(checked.value)
  }
  return { value: values.every((each, nth) => each === value[nth]) ? value : values }
}

/** Reads `"105"` and `"+105"` as 105, but not `"007"`, `"1e3"` or sixteen digits, of which something would be lost. */
function readLosslessNumber(value: unknown): number | undefined {
  if (isNumber(value)) return value
  if (typeof value !== 'string' || !/^[-+]?(0|[1-9]\d*)(\.\d+)?$/.test(value)) return undefined
  return countDigits(value) <= DIGITS_MAX ? Number(value) : undefined
}

const countDigits = (text: string): number => text.replace(/[-+.,]/g, '').length

/** Refuses a text that is no number, or is one and would lose something. */
function refuseNumber(value: unknown): CheckedValue {
  const text = typeof value === 'string' ? value.slice(0, HINTED_LENGTH_MAX) : ''
  if (/^[-+]?\d+([.,]\d+)?e[-+]?\d+$/i.test(text))
    return refuseValue(
      value,
      'a number without an exponent',
      'write all digits: a spreadsheet that shows it so hides some',
    )
  if (/^[-+]?\d+([.,]\d+)?$/.test(text) && countDigits(text) > DIGITS_MAX)
    return refuseValue(value, `a number of at most ${DIGITS_MAX} digits`, 'the last ones of a longer one are not kept')
  if (/^[-+]?0\d+(\.\d+)?$/.test(text))
    return refuseValue(value, 'a number without zeros before it', String(Number(text)))
  return refuseValue(value, 'a number', suggestNumber(value))
}

const UNITS_LENGTH_MAX = 10

/** Suggests to remove what stands beside the digits of a text, such as a currency. */
function suggestNumber(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > HINTED_LENGTH_MAX || !/\d/.test(value)) return undefined
  const unit = value.replaceAll(/[\d.,\s+-]/g, '')
  const isUnit = unit !== '' && unit.length <= UNITS_LENGTH_MAX && !/^e$/i.test(unit)
  return isUnit ? `a number without ${JSON.stringify(unit)}` : undefined
}

function checkNumber({ type, values }: ValueRules, value: unknown): CheckedValue {
  const isSigned = type === 'datetime' && typeof value === 'string' && value.startsWith('+')
  const number = isSigned ? undefined : readLosslessNumber(value)
  if (type === 'datetime' && number === undefined) return checkTimestamp(value)
  if (number === undefined) return refuseNumber(value)
  if ((type === 'integer' || type === 'datetime') && !Number.isSafeInteger(number))
    return refuseValue(value, 'a whole number')
  return values && !toSet(values).has(number) ? refuseValue(value, `one of ${listWords(values)}`) : { value: number }
}

const EPOCH = 'epoch milliseconds, or ISO 8601 with an offset'
/** A text of fewer digits is a day, a year or seconds. */
const EPOCH_DIGITS_MIN = 11

/** Tells whether milliseconds, of the early 1970, are sent as seconds since 2001. */
export const isTakenForSeconds = (ms: number): boolean => ms >= 1_000_000_000 && ms < 10_000_000_000

/** Refuses seconds and days such as 20260331, which as milliseconds would be in 1970. ISO 8601 says such a time clearly. */
function findMisreadTime({ type }: ValueRules, value: unknown): CheckedValue | undefined {
  if (type !== 'datetime' || (typeof value !== 'string' && !isNumber(value))) return undefined
  const isShort = typeof value === 'string' && /^-?\d+$/.test(value) && value.replace('-', '').length < EPOCH_DIGITS_MIN
  if (typeof value === 'string' && !isShort) return undefined
  const number = Number(value)
  if (isTakenForSeconds(number)) return refuseValue(value, EPOCH, String(number * 1000))
  const day = Number.isSafeInteger(number) ? suggestDate(number) : undefined
  if (day !== undefined) return refuseValue(value, EPOCH, `${day}T00:00:00Z`)
  return isShort ? refuseValue(value, EPOCH) : undefined
}

/** Checks a time, which is stored as epoch milliseconds, as `nextActionAt` is. */
function checkTimestamp(value: unknown): CheckedValue {
  const read = typeof value === 'string' ? readTimestamp(value) : undefined
  if (read && 'ms' in read) return { value: read.ms }
  return refuseValue(value, EPOCH, value === '' ? undefined : read?.hint)
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
const DAY_LENGTH = '2026-03-31'.length
const TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/

/** Tells whether a day exists. For `Date` there is a February 30th, which is in March. */
const isRealDay = (date: string): boolean => new Date(date).getUTCDate() === Number(date.slice(-2))

const checkTime = (value: unknown): CheckedValue =>
  Number.isSafeInteger(value) || (typeof value === 'string' && TIME.test(value))
    ? { value }
    : refuseValue(value, 'a time such as 09:30, or a whole number')

const isDate = (value: unknown): boolean => typeof value === 'string' && DATE.test(value) && isRealDay(value)

const SHORT_YEAR = /^\d{1,2}[./-]\d{1,2}[./-]\d{2}(?!\d)/

/** Suggests the day of a time or of a number such as 20260331, if it is obvious. */
function suggestDate(value: unknown): string | undefined {
  const [short] = (typeof value === 'string' && SHORT_YEAR.exec(value)) || []
  if (short !== undefined) return `a year has four digits, and that of ${JSON.stringify(short)} two`
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})(?:T|$)/.exec(String(value).slice(0, 30)) ?? []
  const date = `${year}-${month}-${day}`
  return year !== undefined && isDate(date) ? date : undefined
}

/** Tells whether there is one `@` between a name and a domain with a dot inside. A pattern would take quadratic time on many dots. */
function isEmail(text: string): boolean {
  const at = text.indexOf('@')
  const domain = text.slice(at + 1)
  const hasInnerDot = domain.slice(1, -1).includes('.')
  return at > 0 && hasInnerDot && !domain.includes('@') && !/\s/.test(text)
}

const PHONE = /^\+?[\d\s()./-]{4,40}$/
const ISO_DATETIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/

/** Suggests the digits of a number, unless letters are among them: the digits of `9.19448E+11` may be somebody's number. */
function suggestPhone(text: string): string | undefined {
  if (/\p{L}/u.test(text)) return undefined
  const digits = normalisePhone(text.slice(0, HINTED_LENGTH_MAX))
  return digits !== null && isFullPhoneNumber(digits) ? `did you mean ${JSON.stringify(digits)}?` : undefined
}

const describePhone = (text: string): string =>
  isShortenedNumber(text) ? 'a phone number; this one looks shortened by a spreadsheet' : 'a phone number'

const PHONE_LENGTH = `a phone number with its country code, ${PHONE_DIGITS_MIN} to ${PHONE_DIGITS_MAX} digits together`
const PHONE_START = 'a phone number with its country code, such as 4915112345678; none begins with 0'

/** Checks a phone number, which is stored as the digits of its international form, as customers' numbers are, so that every spelling finds it. */
function checkPhone(text: string): CheckedValue {
  if (!PHONE.test(text)) return refuseValue(text, describePhone(text), suggestPhone(text))
  const digits = normalisePhone(text) ?? ''
  if (isFullPhoneNumber(digits)) return { value: digits }
  return refuseValue(text, digits === '' || digits.startsWith('0') ? PHONE_START : PHONE_LENGTH)
}

const USER_REFERENCE = "a user's id, username or e-mail address"
const USER_REFERENCE_LENGTH_MAX = 320

function checkText({ type, values }: ValueRules, value: unknown): CheckedValue {
  if (type === 'date')
    return isDate(value) ? { value } : refuseValue(value, 'a date such as 2026-03-31', suggestDate(value))
  // Neither quoted nor suggested: it is not what was sent.
  if (isNumber(value) && !isExactNumber(value)) return refuse({ message: 'must be text', hint: SEND_AS_TEXT })
  if (typeof value !== 'string')
    return refuseValue(value, 'text', isNumber(value) ? JSON.stringify(String(value)) : undefined)
  switch (type) {
    case 'email':
      return isEmail(value) ? { value } : refuseValue(value, 'an e-mail address')
    case 'phone':
      return checkPhone(value)
    case 'user':
      return value !== '' && value.length <= USER_REFERENCE_LENGTH_MAX ? { value } : refuseValue(value, USER_REFERENCE)
    case 'url':
      return /^https?:\/\//i.test(value) && URL.canParse(value)
        ? { value }
        : refuseValue(value, 'an http or https address')
    case 'datetimeISO8601':
      return ISO_DATETIME.test(value) && isDate(value.slice(0, DAY_LENGTH)) && !Number.isNaN(Date.parse(value))
        ? { value }
        : refuseValue(value, 'an ISO 8601 date and time')
    case 'stringEnum': {
      const known = values ?? []
      return toSet(known).has(value)
        ? { value }
        : refuseValue(value, `one of ${listWords(known)}`, createHint(value, known.map(String)).hint)
    }
    default:
      return { value }
  }
}
