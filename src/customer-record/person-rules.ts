import { normalisePhone } from './identity-rules.ts'

/** What may stand between the digits of a phone number within a text. */
const NO_WORD = /[^\p{L}\p{N}]+/gu
const NO_DIGITS = /\D+/g
const DIGITS = /^\d+$/
/** A shorter one is a placeholder, and stands in all kinds of figures. */
const DIGITS_MIN = 6
/** Stands behind the country code of a number, and is no digit of it. */
const TRUNK_ZERO = '(0)'
/** A byte has 8 bits, a character of base64 has 6. */
const BYTE_BITS = 8
const BASE64_BITS = 6
const BASE64_ALIGNMENTS = [0, 1, 2]
const BASE64_TOKENS = /[A-Za-z0-9+/]{8,}/g

/** All texts of a JSON value as they are: in its JSON, the `n` of a line break would be a letter before a name. */
interface Texts {
  each: readonly string[]
  /** All of them. What a text has is in it; what is in it may be of two. */
  joined: string
  /** The same, as `fold` returns it. */
  folded: string
}

/** Collects strings, names of members, and the digits of numbers, which can be those of a phone, but no placeholder. */
function collectTexts(value: unknown, texts: string[]): string[] {
  if (typeof value === 'string') texts.push(value)
  else if (typeof value === 'number') {
    const digits = normalisePhone(value) ?? ''
    if (digits.length >= DIGITS_MIN) texts.push(digits)
  } else if (Array.isArray(value)) for (const item of value) collectTexts(item, texts)
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) {
      texts.push(name)
      collectTexts(member, texts)
    }
  return texts
}

/** Ignores case. A sigma has another small form at the end of a word, and so depends on what surrounds it. */
const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** A text as it stands in base64, in each of the three ways in which it can lie there: ids of the provider hold the number. */
const toBase64Parts = (text: string): string[] =>
  BASE64_ALIGNMENTS.map(before => {
    const encoded = btoa('\0'.repeat(before) + text)
    const whole = Math.floor(((before + text.length) * BYTE_BITS) / BASE64_BITS)
    return encoded.slice(Math.ceil((before * BYTE_BITS) / BASE64_BITS), whole)
  })

/** All of its bytes: what follows a number tells whether it is a part of a longer one. One character alone is no byte. */
const decodeBase64 = (token: string): string => atob(token.length % 4 === 1 ? token.slice(0, -1) : token)

/** All digits of some texts, in each way of reading them: what is not in these is in none of the texts. */
const listDigits = ({ each, joined }: Texts): string => {
  const withTrunkZero = joined.includes(TRUNK_ZERO) ? each.filter(text => text.includes(TRUNK_ZERO)) : []
  return [joined, ...withTrunkZero.flatMap(text => [text.replaceAll(TRUNK_ZERO, ''), normalisePhone(text) ?? ''])]
    .map(text => text.replace(NO_DIGITS, ''))
    .join(' ')
}

/**
 * Whether a text is a number, by the rule that makes it a customer's, or has it in whatever form, and not as a part of a
 * longer one.
 */
function toNumberFinder(number: string): (texts: Texts, digits: string) => boolean {
  const pattern = new RegExp(`(?<!\\d)(?:00)?${[...number].join(' ?')}(?!\\d)`)
  const parts = toBase64Parts(number)
  const isIn = (text: string): boolean =>
    normalisePhone(text) === number ||
    [text, text.replaceAll(TRUNK_ZERO, '')].some(read => pattern.test(read.replace(NO_WORD, ' ')))
  return ({ each, joined }, digits) => {
    if (digits.includes(number) && each.some(isIn)) return true
    const tokens = parts.some(part => joined.includes(part)) ? (joined.match(BASE64_TOKENS) ?? []) : []
    return tokens.some(token => pattern.test(decodeBase64(token)))
  }
}

/** Finds an id or an address, in whatever case, and not as a part of a longer one. */
function toNameFinder(name: string): (texts: Texts) => boolean {
  const text = fold(name)
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}._%+-])${escaped}(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])`, 'u')
  return ({ each, folded }) => folded.includes(text) && each.some(one => pattern.test(fold(one)))
}

/** Finds a placeholder where it is a text by itself. */
const toPlaceholderFinder = (digits: string): ((texts: Texts) => boolean) => {
  const spellings = ['', '+', '00'].map(before => before + digits)
  return ({ each }) => spellings.some(spelling => each.includes(spelling))
}

/** Whether a JSON value names somebody, by one of some ids, phone numbers and addresses. */
export function toPersonFinder(names: readonly string[]): (value: unknown) => boolean {
  const allDigits = names.filter(name => DIGITS.test(name))
  const numbers = allDigits.filter(({ length }) => length >= DIGITS_MIN).map(toNumberFinder)
  const placeholders = allDigits.filter(({ length }) => length < DIGITS_MIN).map(toPlaceholderFinder)
  const others = names.filter(name => !DIGITS.test(name)).map(toNameFinder)
  return value => {
    const each = collectTexts(value, [])
    const joined = each.join('\0')
    const texts = { each, joined, folded: fold(joined) }
    if (others.some(isNamed => isNamed(texts)) || placeholders.some(isNamed => isNamed(texts))) return true
    if (numbers.length === 0) return false
    const digits = listDigits(texts)
    return numbers.some(isNamed => isNamed(texts, digits))
  }
}
