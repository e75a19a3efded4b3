import type * as z from 'zod'
import type { Fault } from '../../errors.ts'
import { listWords, suggest } from '../../suggest.ts'

export type Place = 'path' | 'query' | 'header' | 'body'

/** A JSON Pointer into the request: `/body/where/createdAt`. */
export const pointer = (place: Place, ...keys: PropertyKey[]): string =>
  [`/${place}`, ...keys.map(key => String(key).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/')

type Issue = z.core.$ZodIssue

interface FaultNames {
  /** The members that the place may have. */
  known?: readonly string[]
  /** What the place is called. */
  whole?: string
  /** What is said besides where a member is unknown. */
  unknownHint?: string | undefined
  /** The members of an object inside. */
  membersAt?: (path: readonly PropertyKey[]) => readonly string[]
}

/** Every fault zod found, in words a caller can act on. */
export function toFaults(place: Place, issues: readonly Issue[], names: FaultNames = {}): Fault[] {
  const { known = [], whole = 'it', unknownHint, membersAt = () => [] } = names
  return withoutRepeats(issues).flatMap((issue): Fault[] => {
    const at = (...more: PropertyKey[]) => pointer(place, ...issue.path, ...more)
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map(key => ({
        message: `unknown ${place === 'query' ? 'parameter' : 'field'} ${JSON.stringify(key)}`,
        path: at(key),
        ...(issue.path.length === 0 && (known.length > 0 || place === 'query')
          ? { hint: () => findHint(place, key, known, unknownHint) }
          : { hint: () => memberHint(key, membersAt(issue.path)) }),
      }))
    if (issue.code === 'invalid_union') {
      const branch = onlyFittingBranch(issue)
      const moved = branch?.map(each => ({ ...each, path: [...issue.path, ...each.path] }) as Issue)
      if (moved) return toFaults(place, moved, names)
    }
    if (issue.code === 'invalid_type') {
      const hint = typeHint(place, issue, membersAt)
      const refused = issue.input === undefined ? {} : { refused: issue.input }
      return [{ message: sentence(issue, whole, place), path: at(), hint, ...refused }]
    }
    const ownText = getOwnText(issue)
    if (issue.code === 'too_big' && ownText !== undefined)
      return [{ message: sentence(issue, whole), path: at(), hint: ownText }]
    if (issue.code === 'invalid_value' && typeof issue.input === 'string') {
      const { input, values } = issue
      const hint = ownText ?? (() => valueHint(input, values.map(String)))
      return [{ message: sentence(issue, whole), path: at(), hint, refused: input }]
    }
    const hint = issue.code === 'custom' && typeof issue.params?.hint === 'string' ? { hint: issue.params.hint } : {}
    return [{ message: sentence(issue, whole), path: at(), ...hint }]
  })
}

/** A text that the schema gives in place of zod's own is a hint. */
const getOwnText = ({ code, message }: Issue): string | undefined =>
  message.startsWith(code === 'too_big' ? 'Too big' : 'Invalid') ? undefined : message

type TypeIssue = z.core.$ZodIssueInvalidType
const isItem = (issue: Issue): boolean =>
  issue.code === 'invalid_type' && issue.expected === 'object' && typeof issue.path.at(-1) === 'number'
const toPlaceKey = (path: readonly PropertyKey[]): string => JSON.stringify(path.map(String))

/** Where a list has texts instead of objects, the first fault says it for all; what is no list has no length either. */
function withoutRepeats(issues: readonly Issue[]): readonly Issue[] {
  const mistyped = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => toPlaceKey(path)))
  const lists = new Set<string>()
  return issues.filter(issue => {
    if (issue.code === 'too_big' || issue.code === 'too_small') return !mistyped.has(toPlaceKey(issue.path))
    if (!isItem(issue)) return true
    const list = toPlaceKey(issue.path.slice(0, -1))
    if (lists.has(list)) return false
    lists.add(list)
    return true
  })
}

/** Returns the errors of the form that was meant: the only one of several whose type the value has. */
function onlyFittingBranch({ errors }: z.core.$ZodIssueInvalidUnion): readonly Issue[] | undefined {
  const fitting = errors.filter(branch => !branch.some(each => each.code === 'invalid_type' && each.path.length === 0))
  const [only] = fitting
  return fitting.length === 1 ? (only as readonly Issue[] | undefined) : undefined
}

const SHOWN_CHARACTERS_MAX = 100

/** Suggests the list or the object that was probably meant, if a request has one value in its place. */
function typeHint(
  place: Place,
  issue: TypeIssue,
  membersAt: (path: readonly PropertyKey[]) => readonly string[],
): string | undefined {
  const { expected, input, path, message } = issue
  if (place === 'query' && Array.isArray(input)) return message.startsWith('Invalid input') ? undefined : message
  if (typeof input !== 'string' || input.length > SHOWN_CHARACTERS_MAX) return undefined
  const wrapped = (name: string | undefined) =>
    name === undefined ? JSON.stringify(input) : JSON.stringify({ [name]: input })
  if (expected === 'array' && path.at(-1) === 'sort') {
    const order = input.startsWith('-') ? { order: 'desc' } : {}
    return JSON.stringify([{ field: input.replace(/^[+-]/, ''), ...order }])
  }
  if (expected === 'array') return `[${wrapped(membersAt([...path, 0])[0])}]`
  const [member] = expected === 'object' ? membersAt(path) : []
  return member === undefined ? undefined : wrapped(member)
}

/** The nearest member, or all of them. */
function memberHint(key: string, members: readonly string[]): string | undefined {
  const meant = suggest(key, members)
  if (meant !== undefined) return `did you mean ${JSON.stringify(meant)}?`
  return members.length === 0 ? undefined : `known fields: ${listWords(members)}`
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

/** What a response has and nobody sends. */
const GIVEN: readonly string[] = ['id', 'createdAt', 'updatedAt', 'completedAt']

/** The nearest of the known names, or all of them; for an attribute beside `data`, where attributes stand. */
function findHint(place: Place, key: string, known: readonly string[], more = ''): string {
  if (known.length === 0) return `this request takes no parameters${more && `; ${more}`}`
  const plain = key.toLowerCase().replaceAll(/[_-]/g, '')
  const meant = suggest(key, known) ?? known.find(name => SPELLINGS[name]?.includes(plain))
  if (meant !== undefined) return `did you mean ${JSON.stringify(meant)}?`
  if (place === 'body' && known.includes('data'))
    return GIVEN.includes(key) ? `${JSON.stringify(key)} is given by the API` : 'attributes stand in "data"'
  return `known ${place === 'query' ? 'parameters' : 'fields'}: ${listWords(known)}${more && `; ${more}`}`
}

/** A closed list is told whole. */
const ALLOWED_VALUES_MAX = 60

/** The last name, with the positions behind it: `statuses[0]`. */
function namePlace(path: readonly PropertyKey[]): string {
  const at = path.findLastIndex(key => typeof key !== 'number')
  const positions = path.slice(at + 1).map(key => `[${String(key)}]`)
  return `${at < 0 ? '' : String(path[at])}${positions.join('')}`
}

function sentence(issue: Issue, whole: string, place?: Place): string {
  const name = issue.path.length === 0 ? whole : JSON.stringify(namePlace(issue.path))
  if (issue.code === 'invalid_type' && issue.expected === 'object' && !issue.message.startsWith('Invalid input'))
    return `${name}: ${issue.message}`
  if (issue.code === 'invalid_type' && place === 'query' && Array.isArray(issue.input))
    return `${name} is sent ${issue.input.length} times`
  if (isItem(issue)) return `each of ${JSON.stringify(String(issue.path.at(-2) ?? whole))} must be an object`
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? `${name} is required` : `${name} must be ${article(issue.expected)}`
  if (issue.code === 'invalid_value')
    return `${name} must be one of ${listWords(issue.values.map(String), ALLOWED_VALUES_MAX)}`
  if (issue.code === 'too_big') return `${name} must be at most ${issue.maximum}${unit(issue.origin, issue.maximum)}`
  if (issue.code === 'too_small') return `${name} must be at least ${issue.minimum}${unit(issue.origin, issue.minimum)}`
  return `${name}: ${issue.message}`
}

function unit(origin: string, count: number | bigint): string {
  const one = origin === 'string' ? 'character' : origin === 'array' ? 'item' : ''
  return one === '' ? '' : ` ${one}${Number(count) === 1 ? '' : 's'} long`
}

const article = (type: string) => (type === 'int' ? 'an integer' : /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`)
