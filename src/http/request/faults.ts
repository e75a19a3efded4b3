import type { z } from 'zod'
import type { Fault } from '../../errors.ts'
import { listWords, suggest, suggestion } from '../../suggest.ts'

export type Place = 'path' | 'query' | 'header' | 'body'

/** A JSON Pointer into the request: `/body/where/createdAt`. */
export const pointer = (place: Place, ...keys: PropertyKey[]): string =>
  [`/${place}`, ...keys.map(key => String(key).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/')

type Issue = z.core.$ZodIssue

/** Every fault zod found, in words a caller can act on. `known` are the members that the place may have, `whole` is what it is called. */
export function faultsOf(
  place: Place,
  issues: readonly Issue[],
  known: readonly string[] = [],
  whole = 'it',
  unknownHint?: string,
  membersAt: (path: readonly PropertyKey[]) => readonly string[] = () => [],
): Fault[] {
  return issues.flatMap((issue): Fault[] => {
    const at = (...more: PropertyKey[]) => pointer(place, ...issue.path, ...more)
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map(key => ({
        message: `unknown ${place === 'query' ? 'parameter' : 'field'} ${JSON.stringify(key)}`,
        path: at(key),
        ...(issue.path.length === 0 && (known.length > 0 || place === 'query')
          ? { hint: () => knownHint(place, key, known, unknownHint) }
          : suggestion(key, membersAt(issue.path))),
      }))
    if (issue.code === 'invalid_value' && typeof issue.input === 'string') {
      const { input, values } = issue
      return [{ message: sentence(issue, whole), path: at(), hint: () => valueHint(input, values.map(String)) }]
    }
    const hint = issue.code === 'custom' && typeof issue.params?.hint === 'string' ? { hint: issue.params.hint } : {}
    return [{ message: sentence(issue, whole), path: at(), ...hint }]
  })
}

const PART_LENGTH_MIN = 3

/** The nearest of the allowed values, or the first that the word is a part of: `enum` of `stringEnum`. */
function valueHint(word: string, allowed: readonly string[]): string | undefined {
  const part = word.length < PART_LENGTH_MIN ? undefined : word.toLowerCase()
  const meant = suggest(word, allowed) ?? allowed.find(each => part !== undefined && each.toLowerCase().includes(part))
  return meant === undefined ? undefined : `did you mean ${JSON.stringify(meant)}?`
}

/** Names of other APIs, by what they are called here. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  where: ['filter', 'filters', 'query', 'q', 'search'],
  skip: ['offset', 'page', 'start'],
  limit: ['perpage', 'pagesize', 'size', 'count', 'top', 'take', 'first'],
  sort: ['orderby', 'order', 'sortby'],
  cursor: ['after', 'next', 'pagetoken', 'startingafter'],
}

/** The nearest of the known names, or all of them; for an attribute beside `data`, where attributes stand. */
function knownHint(place: Place, key: string, known: readonly string[], more = ''): string {
  if (known.length === 0) return 'this request takes no parameters'
  const plain = key.toLowerCase().replaceAll(/[_-]/g, '')
  const meant = suggest(key, known) ?? known.find(name => SPELLINGS[name]?.includes(plain))
  if (meant !== undefined) return `did you mean ${JSON.stringify(meant)}?`
  if (place === 'body' && known.includes('data')) return 'attributes stand in "data"'
  return `known ${place === 'query' ? 'parameters' : 'fields'}: ${listWords(known)}${more && `; ${more}`}`
}

function sentence(issue: Issue, whole: string): string {
  const name = issue.path.length === 0 ? whole : JSON.stringify(String(issue.path.at(-1)))
  if (issue.code === 'invalid_type' && issue.expected === 'object' && !issue.message.startsWith('Invalid input'))
    return `${name}: ${issue.message}`
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? `${name} is required` : `${name} must be ${article(issue.expected)}`
  if (issue.code === 'invalid_value') return `${name} must be one of ${listWords(issue.values.map(String))}`
  if (issue.code === 'too_big') return `${name} must be at most ${issue.maximum}${unit(issue.origin)}`
  if (issue.code === 'too_small') return `${name} must be at least ${issue.minimum}${unit(issue.origin)}`
  return `${name}: ${issue.message}`
}

const unit = (origin: string) => (origin === 'string' ? ' characters long' : origin === 'array' ? ' items long' : '')
const article = (type: string) => (type === 'int' ? 'an integer' : /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`)
