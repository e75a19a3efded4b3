import { suggest } from '../suggest.ts'
import type { Route } from './route.ts'

const PATH_LENGTH_MAX = 300
/** Beginnings of addresses that are often wrong, each with the right one. */
const BEGINNINGS: readonly [RegExp, string][] = [
  [/^\/v1\/(?!ext\/)/, '/v1/ext/'],
  [/^\/ext\//, '/v1/ext/'],
  [/^\/(?:api|external)\/(?:v1\/(?:ext\/)?)?/, '/v1/ext/'],
  [/^\/(?!v\d)/, '/v1/ext/'],
]

/** Returns the address that was probably meant by one without a route: with another beginning, or with corrected words. */
export function suggestAddress(routes: readonly Pick<Route, 'path'>[], path: string): string | undefined {
  if (path.length > PATH_LENGTH_MAX) return undefined
  const candidates = [
    path,
    ...BEGINNINGS.filter(([from]) => from.test(path)).map(([from, to]) => path.replace(from, to)),
  ]
  let nearest: { address: string; corrections: number } | undefined
  for (const candidate of candidates) {
    const parts = candidate.split('/')
    for (const { path: pattern } of routes) {
      const corrected = correctWords(pattern.split('/'), parts)
      if (corrected === undefined || (nearest !== undefined && corrected.corrections >= nearest.corrections)) continue
      nearest = corrected
    }
  }
  return nearest?.address
}

/** Replaces mistyped words by those of a pattern. Returns undefined if a word is a different one, or more than two are mistyped. */
function correctWords(pattern: readonly string[], parts: readonly string[]) {
  if (pattern.length !== parts.length) return undefined
  const address: string[] = []
  let corrections = 0
  for (const [index, word] of pattern.entries()) {
    const part = parts[index] ?? ''
    if (word.startsWith(':')) {
      if (part === '') return undefined
      address.push(part)
      continue
    }
    if (part !== word) {
      if (++corrections > 2 || suggest(part, [word]) === undefined) return undefined
    }
    address.push(word)
  }
  return { address: address.join('/'), corrections }
}
