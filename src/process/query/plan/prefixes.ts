import type { TextMatch } from '../read/condition.ts'
import type { RangeBounds } from './bounds.ts'
import { isAbove } from './value-order.ts'

/**
 * Texts that start with a pattern, in any spelling of A to Z. An index keeps PUNE, Pune and pune apart; it is walked
 * letter by letter to the spellings that it has, since there are too many possible ones.
 */
export interface Prefixes {
  /** Each pattern has pieces, from one letter up to the next; each piece has spellings. */
  prefixes: Spelling[][][]
  /** The part of the index within which all spellings lie, among other texts. */
  span: RangeBounds
}

/** What a spelling adds to the texts before it, and what it adds to the first text that is behind all that begin so. */
type Spelling = readonly [from: string, before: string]

export const arePrefixes = (bounds: object): bounds is Prefixes => 'prefixes' in bounds

/** The text that follows all those that start with either is no text that is one more: a surrogate, or none at all. */
const WITHOUT_SUCCESSOR = /[\ud7ff\u{10ffff}]/u

export function findPrefixes({ operator, patterns }: TextMatch): Prefixes | null {
  if (operator !== 'startsWith' || patterns.some(pattern => WITHOUT_SUCCESSOR.test(pattern))) return null
  return { prefixes: patterns.map(pattern => listPieces(pattern).map(listSpellings)), span: getSpan(patterns) }
}

const listPieces = (pattern: string): string[] => pattern.match(/^[^a-z]+[a-z]?[^a-z]*|[a-z][^a-z]*/gu) ?? []

const listSpellings = (piece: string): Spelling[] =>
  [...new Set([asciiUpper(piece), piece])].map(spelling => [spelling, successor(spelling)])

const asciiUpper = (text: string): string => text.replace(/[a-z]+/g, letters => letters.toUpperCase())

/** The first text, in the order of code points, behind all that start with this one. */
function successor(text: string): string {
  const last = text.codePointAt(text.length - 1) ?? 0
  const isLow = last >= 0xdc00 && last <= 0xdfff
  const start = isLow ? text.length - 2 : text.length - 1
  return text.slice(0, start) + String.fromCodePoint((text.codePointAt(start) ?? 0) + 1)
}

function getSpan(patterns: string[]): RangeBounds {
  const lowest = patterns.map(asciiUpper).reduce((one, other) => (isAbove(one, other) ? other : one))
  const highest = patterns.map(successor).reduce((one, other) => (isAbove(one, other) ? one : other))
  return { low: { operator: '>=', value: lowest }, high: { operator: '<', value: highest }, numeric: false }
}
