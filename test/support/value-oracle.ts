import type { AttributeType } from '../../src/procedure/model.ts'

/**
 * The values that an attribute of each type accepts, and their stored form, by the guide of procedures and without a
 * line of the code that decides it.
 */
export interface Typed {
  type: AttributeType
  values?: readonly (string | number)[] | undefined
  indexed?: boolean
}

export const REFUSED = Symbol('refused')
type Stored = unknown

const DEEPEST = 64
const LIST_MOST = 1_000
const FREE_LIST_MOST = 10_000
const INDEXED_LIST_MOST = 100
const INDEXED_TEXT_MOST = 1_000

/** Returns the stored form of a value in `data`, or its refusal. `null` is no value: it removes. */
export function stored(attribute: Typed, sent: unknown): Stored {
  if (!isStorable(sent)) return REFUSED
  const value = storedAs(attribute, sent)
  return value !== REFUSED && attribute.indexed === true && !fitsIndex(value) ? REFUSED : value
}

/** Returns the value that a filter compares with: for a list it is one element. */
export function compared({ type, values }: Typed, sent: unknown): Stored {
  if (!isStorable(sent)) return REFUSED
  return storedAs({ type: ELEMENT[type] ?? type, values }, sent)
}

const ELEMENT: Partial<Record<AttributeType, AttributeType>> = {
  multiString: 'string',
  multiPhoto: 'photo',
  multiStringEnum: 'stringEnum',
  multiIntegerEnum: 'integerEnum',
  multiFloatEnum: 'floatEnum',
}

/** No NUL, no half of a character, no number that JSON cannot hold, and no document that is too deep. */
export const isStorable = (value: unknown, level = 1): boolean => {
  if (typeof value === 'string') return isStorableText(value)
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (level > DEEPEST) return false
  const names = Array.isArray(value) ? [] : Object.keys(value)
  return names.every(name => halves(name) === 0) && Object.values(value).every(inner => isStorable(inner, level + 1))
}

const isStorableText = (text: string) => !Array.from(text).includes('\0') && halves(text) === 0

/** Counts the characters that are half of a pair. */
const halves = (text: string): number =>
  Array.from(text).filter(each => each.length === 1 && each >= '\ud800' && each <= '\udfff').length

const fitsIndex = (value: unknown): boolean => {
  const all = Array.isArray(value) ? value : [value]
  return (
    all.length <= INDEXED_LIST_MOST && all.every(each => typeof each !== 'string' || each.length <= INDEXED_TEXT_MOST)
  )
}

function storedAs({ type, values = [] }: Typed, sent: unknown): Stored {
  const element = ELEMENT[type]
  if (element !== undefined) {
    if (!Array.isArray(sent) || sent.length > LIST_MOST) return REFUSED
    const elements = sent.map(each => storedAs({ type: element, values }, each))
    return elements.includes(REFUSED) ? REFUSED : elements
  }
  const keep = (isTaken: boolean): Stored => (isTaken ? sent : REFUSED)
  switch (type) {
    case 'json':
      return keep(!Array.isArray(sent) || sent.length <= FREE_LIST_MOST)
    case 'geolocation':
      return keep(isPlace(sent))
    case 'boolean':
      return keep(sent === true || sent === false)
    case 'integer':
      return numberIn(sent, Number.isSafeInteger)
    case 'float':
      return numberIn(sent, () => true)
    case 'integerEnum':
    case 'floatEnum':
      return numberIn(sent, number => values.includes(number))
    case 'datetime':
      return momentIn(sent)
    case 'phone':
      return typeof sent === 'string' ? phoneIn(sent) : REFUSED
    // Only the team knows whose name it is: `test/process/user-values.test.ts`.
    case 'user':
      return REFUSED
    case 'time':
      return keep(typeof sent === 'string' ? isTimeOfDay(sent) : Number.isSafeInteger(sent))
    default:
      return keep(typeof sent === 'string' && isTextFor(type, values, sent))
  }
}

function isTextFor(type: AttributeType, values: readonly (string | number)[], text: string): boolean {
  if (type === 'stringEnum') return values.includes(text)
  if (type === 'date') return isDay(text)
  if (type === 'email') return isEmail(text)
  if (type === 'url') return isUrl(text)
  return type === 'datetimeISO8601' ? isMomentText(text) : true
}

const within = (value: unknown, most: number): boolean => typeof value === 'number' && value >= -most && value <= most

function isPlace(sent: unknown): boolean {
  if (typeof sent !== 'object' || sent === null) return false
  if (Array.isArray(sent)) return sent.length === 2 && within(sent[0], 90) && within(sent[1], 180)
  const { latitude, longitude } = sent as Record<string, unknown>
  return within(latitude, 90) && within(longitude, 180)
}

/** A number, or a text that says it in digits, of which none is lost: not more than fifteen, and none for nothing in front. */
function numberIn(sent: unknown, isTaken: (number: number) => boolean): Stored {
  if (typeof sent === 'number') return isTaken(sent) ? sent : REFUSED
  if (typeof sent !== 'string') return REFUSED
  const [whole = '', ...fraction] = sent.replace(/^[-+]/, '').split('.')
  const parts = [whole, ...fraction]
  const isPlain = parts.length <= 2 && parts.every(part => part !== '' && isDigits(part))
  const isLossless = parts.join('').length <= 15 && (whole === '0' || !whole.startsWith('0'))
  return isPlain && isLossless && isTaken(Number(sent)) ? Number(sent) : REFUSED
}

const isDigits = (text: string): boolean => Array.from(text).every(each => each >= '0' && each <= '9')

/** Returns whether the calendar has the day. */
function isDay(text: string): boolean {
  if (text.length !== 10 || text[4] !== '-' || text[7] !== '-') return false
  const [year = '', month = '', day = ''] = text.split('-')
  if (![year, month, day].every(isDigits)) return false
  const isLeap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0)
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? 0
  return Number(day) >= 1 && Number(day) <= days
}

/** Hours and minutes, then perhaps seconds, and of those perhaps a part, of so many digits. */
function isClock(text: string, fractionMost: number): boolean {
  const [clock = '', fraction, ...more] = text.split('.')
  const [hours = '', minutes = '', seconds, ...others] = clock.split(':')
  if (more.length > 0 || others.length > 0) return false
  const isPart = (part: string, most: number) => part.length === 2 && isDigits(part) && Number(part) <= most
  if (!isPart(hours, 23) || !isPart(minutes, 59) || !isPart(seconds ?? '00', 59)) return false
  if (fraction === undefined) return true
  return seconds !== undefined && fraction !== '' && fraction.length <= fractionMost && isDigits(fraction)
}

const isTimeOfDay = (text: string): boolean => isClock(text, 3)

/** A day and a time, and how far its clocks are from UTC: `Z`, hours and minutes, or nothing. */
function momentParts(text: string): { day: string; clock: string; offset: string } | null {
  const [day = '', rest, ...more] = text.split('T')
  if (rest === undefined || more.length > 0) return null
  const at = rest.search(/[Z+-]/)
  const [clock, offset] = at < 0 ? [rest, ''] : [rest.slice(0, at), rest.slice(at)]
  const digits = offset.slice(1).replace(':', '')
  const isOffset =
    offset === '' ||
    offset === 'Z' ||
    (digits.length === 4 &&
      isDigits(digits) &&
      [5, 6].includes(offset.length) &&
      (offset.length === 5 || offset[3] === ':') &&
      Number(digits.slice(0, 2)) <= 23 &&
      Number(digits.slice(2)) <= 59)
  // The end of a day may be said as hour 24.
  const isEnd = /^24:00(:00(\.0+)?)?$/.test(clock)
  return isOffset && isDay(day) && (isEnd || isClock(clock, Number.POSITIVE_INFINITY)) ? { day, clock, offset } : null
}

const isMomentText = (text: string): boolean => momentParts(text) !== null

/** Seconds since 2001, a day, or a text of so few digits. */
function isMisread(sent: unknown): boolean {
  const digits = String(sent)
  if (Number(sent) >= 1e9 && Number(sent) < 1e10 && !digits.includes('.')) return true
  const day = `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`
  return (
    (digits.length === 8 && isDay(day)) ||
    (typeof sent === 'string' && digits.length <= 10 && isDigits(sent.replace('-', '')))
  )
}

/** Epoch milliseconds, also as digits, or a text with an offset. */
function momentIn(sent: unknown): Stored {
  const parts = typeof sent === 'string' ? momentParts(sent) : null
  const isSigned = typeof sent === 'string' && sent.startsWith('+')
  if (parts === null) return isSigned || isMisread(sent) ? REFUSED : numberIn(sent, Number.isSafeInteger)
  const { day, clock, offset } = parts
  if (offset === '') return REFUSED
  const [whole = '', fraction = ''] = clock.split('.')
  const [hours = 0, minutes = 0, seconds = 0] = whole.split(':').map(Number)
  const thousandths = Number(fraction.padEnd(3, '0').slice(0, 3))
  const sign = offset.startsWith('-') ? -1 : 1
  const digits = offset === 'Z' ? '0000' : offset.slice(1).replace(':', '')
  const ahead = sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2)))
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, month - 1, date)
  return midnight.getTime() + (hours * 60 + minutes - ahead) * 60_000 + seconds * 1_000 + thousandths
}

/** Returns whether a text has one `@`, something before it and a domain with a dot after it. */
function isEmail(text: string): boolean {
  const parts = text.split('@')
  const [name = '', domain = ''] = parts
  return parts.length === 2 && name !== '' && !/\s/.test(text) && /^.+\..+$/s.test(domain)
}

/** The digits with the country code, however they are written; none begins with 0. */
function phoneIn(text: string): Stored {
  const rest = text.startsWith('+') ? text.slice(1) : text
  const isWritten =
    rest.length >= 4 && rest.length <= 40 && [...rest].every(each => isDigits(each) || /[\s()./-]/.test(each))
  const isAbroad = text.trimStart().startsWith('+') || text.trimStart().startsWith('00')
  // +49 (0)30: the zero is dialled inside the country only.
  const dialled = [...(isAbroad ? text.replace('(0)', '') : text)].filter(isDigits).join('')
  const digits = dialled.startsWith('00') ? dialled.slice(2) : dialled
  return isWritten && digits.length >= 7 && digits.length <= 15 && !digits.startsWith('0') ? digits : REFUSED
}

function isUrl(text: string): boolean {
  const scheme = text.slice(0, text.indexOf('://') + 3).toLowerCase()
  if (scheme !== 'http://' && scheme !== 'https://') return false
  try {
    return new URL(text) !== null
  } catch {
    return false
  }
}
