import type { TextMatch } from '../read/condition.ts'
import type { RangeBounds } from './bounds.ts'
import { isAbove } from './value-order.ts'

/**
 * Texts that start with a pattern, in any spelling of A to Z. An index keeps PUNE, Pune and pune apart. As there are too
 * many possible spellings, it is walked letter by letter to those that it has.
 */
export interface Prefixes {
  /** The pieces of each pattern, from one letter up to the next, and the spellings of each piece. */
  prefixes: Spelling[][][]
  /** The part of the index within which all spellings lie, among other texts. */
  span: RangeBounds
}

/** A spelling of a piece: what it appends to a text, and what the first text behind all that begin so has instead. */
type Spelling = readonly [from: string, before: string]

export const arePrefixes = (bounds: object): bounds is Prefixes => 'prefixes' in bounds

/** Characters whose successor is no text: the next code point is a surrogate, or there is none. */
const WITHOUT_SUCCESSOR = /[\ud7ff\u{10ffff}]/u

export function findPrefixes({ operator, patterns }: TextMatch): Prefixes | null {
  if (operator !== 'startsWith' || patterns.some(pattern => WITHOUT_SUCCESSOR.test(pattern))) return null
  return { prefixes: patterns.map(pattern => listPieces(pattern).map(listSpellings)), span: getSpan(patterns) }
}

const listPieces = (pattern: string): string[] => pattern.match(/^[^a-z]+[a-z]?[^a-z]*|[a-z][^a-z]*/gu) ?? []

const listSpellings = (piece: string): Spelling[] =>
  [...new Set([upperAscii(piece), piece])].map(spelling => [spelling, getSuccessor(spelling)])

const upperAscii = (text: string): string => text.replace(/[a-z]+/g, letters => letters.toUpperCase())

/** Returns the first text, in the order of code points, that is behind all texts that start with this one. */
function getSuccessor(text: string): string {
  const last = text.codePointAt(text.length - 1) ?? 0
  const isLow = last >= 0xdc00 && last <= 0xdfff
  const start = isLow ? text.length - 2 : text.length - 1
  return text.slice(0, start) + String.fromCodePoint((text.codePointAt(start) ?? 0) + 1)
}

function getSpan(patterns: string[]): RangeBounds {
  const lowest = patterns.map(upperAscii).reduce((one, other) => (isAbove(one, other) ? other : one))
  const highest = patterns.map(getSuccessor).reduce((one, other) => (isAbove(one, other) ? one : other))
  return { low: { operator: '>=', value: lowest }, high: { operator: '<', value: highest }, numeric: false }
}
