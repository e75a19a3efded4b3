import type { z } from 'zod'
import type { Fault } from '../errors.ts'

export type Place = 'path' | 'query' | 'header' | 'body'

/** A JSON Pointer into the request: `/body/where/createdAt`. */
export const pointer = (place: Place, ...keys: PropertyKey[]): string =>
  [`/${place}`, ...keys.map(key => String(key).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/')

/** The known word closest to a mistyped one, if it is close enough to be meant. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase()
  const ranked = known
    .map(each => ({ each, distance: distance(lower, each.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best && best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.each : undefined
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

export const didYouMean = (word: string, known: readonly string[]): { hint: string } | object => {
  const meant = nearest(word, known)
  return meant === undefined ? {} : { hint: `did you mean ${JSON.stringify(meant)}?` }
}

type Issue = z.core.$ZodIssue

/** Every fault zod found, in words a caller can act on. `known` are the members that the place may have. */
export function faultsOf(place: Place, issues: readonly Issue[], known: readonly string[] = []): Fault[] {
  return issues.flatMap(issue => {
    const at = (...more: PropertyKey[]) => pointer(place, ...issue.path, ...more)
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map(key => ({
        message: `unknown member ${JSON.stringify(key)}`,
        path: at(key),
        ...(issue.path.length === 0 ? didYouMean(key, known) : {}),
      }))
    const hint = issue.code === 'custom' && typeof issue.params?.hint === 'string' ? { hint: issue.params.hint } : {}
    return [{ message: sentence(issue), path: at(), ...hint }]
  })
}

function sentence(issue: Issue): string {
  const name = issue.path.length === 0 ? 'it' : JSON.stringify(String(issue.path.at(-1)))
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? `${name} is required` : `${name} must be ${article(issue.expected)}`
  if (issue.code === 'invalid_value') return `${name} must be one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_big') return `${name} must be at most ${issue.maximum}${unit(issue.origin)}`
  if (issue.code === 'too_small') return `${name} must be at least ${issue.minimum}${unit(issue.origin)}`
  return `${name}: ${issue.message}`
}

const unit = (origin: string) => (origin === 'string' ? ' characters long' : origin === 'array' ? ' items long' : '')
const article = (type: string) => (type === 'int' ? 'an integer' : /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`)
