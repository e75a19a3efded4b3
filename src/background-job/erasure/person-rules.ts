/** What may stand between the digits of a phone number. */
const BETWEEN_DIGITS = '[\\s()+./-]*'
const SEPARATORS = /[\s()+./-]/g
const DIGITS = /^\d+$/
/** A shorter one is a placeholder, and stands in all kinds of figures. */
const DIGITS_MIN = 6
/** A byte has 8 bits, a character of base64 has 6. */
const BYTE_BITS = 8
const BASE64_BITS = 6
const BASE64_ALIGNMENTS = [0, 1, 2]
const BASE64_TOKENS = /[A-Za-z0-9+/]{8,}/g

/** A text as it stands in base64, in each of the three ways in which it can lie there: ids of the provider hold the number. */
const toBase64Parts = (text: string): string[] =>
  BASE64_ALIGNMENTS.map(before => {
    const encoded = btoa('\0'.repeat(before) + text)
    const whole = Math.floor(((before + text.length) * BYTE_BITS) / BASE64_BITS)
    return encoded.slice(Math.ceil((before * BYTE_BITS) / BASE64_BITS), whole)
  })

/** All of its bytes: what follows a number tells whether it is a part of a longer one. One character alone is no byte. */
const decodeBase64 = (token: string): string => atob(token.length % 4 === 1 ? token.slice(0, -1) : token)

/** Whether a text has a number, in whatever form, and not as a part of a longer one. */
function toNumberFinder(number: string): (json: string, compact: string) => boolean {
  const pattern = new RegExp(`(?<!\\d)(?:00)?${[...number].join(BETWEEN_DIGITS)}(?!\\d)`)
  const parts = toBase64Parts(number)
  return (json, compact) => {
    if (compact.includes(number) && pattern.test(json)) return true
    const tokens = parts.some(part => json.includes(part)) ? (json.match(BASE64_TOKENS) ?? []) : []
    return tokens.some(token => pattern.test(decodeBase64(token)))
  }
}

/** Finds an id or an address, in whatever case. */
function toNameFinder(name: string): (lower: string) => boolean {
  const text = name.toLowerCase()
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}._%+-])${escaped}(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])`, 'u')
  return lower => lower.includes(text) && pattern.test(lower)
}

/** Finds a placeholder where it is a text by itself. */
const toPlaceholderFinder = (digits: string): ((json: string) => boolean) => {
  const pattern = new RegExp(`"(?:\\+|00)?${digits}"`)
  return json => pattern.test(json)
}

/** Whether a JSON text names somebody, by one of some ids, phone numbers and addresses. */
export function toPersonFinder(names: readonly string[]): (json: string) => boolean {
  const allDigits = names.filter(name => DIGITS.test(name))
  const numbers = allDigits.filter(({ length }) => length >= DIGITS_MIN).map(toNumberFinder)
  const placeholders = allDigits.filter(({ length }) => length < DIGITS_MIN).map(toPlaceholderFinder)
  const others = names.filter(name => !DIGITS.test(name)).map(toNameFinder)
  return json => {
    const lower = json.toLowerCase()
    if (others.some(isNamed => isNamed(lower)) || placeholders.some(isNamed => isNamed(json))) return true
    if (numbers.length === 0) return false
    const compact = json.replace(SEPARATORS, '')
    return numbers.some(isNamed => isNamed(json, compact))
  }
}
