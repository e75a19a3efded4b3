import type { Entry, Outcome } from '../background-job/entry.ts'

/** What stands between the digits of a phone number. */
const BETWEEN_DIGITS = /[\s()+./-]/g
const DIGITS = /^\d{6,}$/
/** A byte has 8 bits, a character of base64 has 6. */
const BYTE_BITS = 8
const BASE64_BITS = 6
const BASE64_ALIGNMENTS = [0, 1, 2]

/** A text as it stands in base64, in each of the three ways in which it can lie there: ids of the provider hold the number. */
const toBase64Parts = (text: string): string[] =>
  BASE64_ALIGNMENTS.map(before => {
    const encoded = btoa('\0'.repeat(before) + text)
    const whole = Math.floor(((before + text.length) * BYTE_BITS) / BASE64_BITS)
    return encoded.slice(Math.ceil((before * BYTE_BITS) / BASE64_BITS), whole)
  })

/** Whether a JSON text names somebody: by an id or address in whatever case, or a number in whatever form. */
export function toNameFinder(names: readonly string[]): (json: string) => boolean {
  const plain = names.map(name => name.toLowerCase())
  const numbers = names.filter(name => DIGITS.test(name))
  const encoded = numbers.flatMap(toBase64Parts)
  return json => {
    const text = json.toLowerCase()
    if (plain.some(name => text.includes(name)) || encoded.some(part => json.includes(part))) return true
    if (numbers.length === 0) return false
    const compact = json.replace(BETWEEN_DIGITS, '')
    return numbers.some(number => compact.includes(number))
  }
}

/** An entry and its outcome as they are stored, and as they are when whom they name is erased: only how it ended stays. */
type StoredEntry = [apiType: string, apiData: Record<string, unknown>, invalid?: Entry['invalid']]
type StoredOutcome = [offset: number, status: Outcome['status'], result: Outcome['result']]

export interface StoredEntries {
  entries: unknown[]
  outcomes: unknown[][]
}

/** Empties the entries that name somebody, themselves or by their outcomes. Null where there is none. */
export function emptyEntries({ entries, outcomes }: StoredEntries, isNamed: (json: string) => boolean) {
  const named = new Set<number>()
  for (const [offset, entry] of entries.entries()) if (isNamed(JSON.stringify(entry))) named.add(offset)
  for (const [offset, , result] of outcomes.flat() as StoredOutcome[])
    if (isNamed(JSON.stringify(result))) named.add(offset)
  if (named.size === 0) return null
  return {
    entries: (entries as StoredEntry[]).map((entry, offset) => (named.has(offset) ? emptyEntry(entry) : entry)),
    outcomes: (outcomes as StoredOutcome[][]).map(some =>
      some.map(outcome => (named.has(outcome[0]) ? emptyOutcome(outcome) : outcome)),
    ),
  }
}

const emptyEntry = ([apiType, , invalid]: StoredEntry): StoredEntry =>
  invalid === undefined ? [apiType, {}] : [apiType, {}, emptyFailure(invalid)]

const emptyFailure = ({ code }: { code: NonNullable<Entry['invalid']>['code'] }) => ({
  code,
  message: '',
  errors: [{ code, message: '' }],
})

const emptyOutcome = ([offset, status, result]: StoredOutcome): StoredOutcome =>
  'code' in result ? [offset, status, emptyFailure(result as NonNullable<Entry['invalid']>)] : [offset, status, {}]
