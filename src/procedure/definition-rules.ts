import * as z from 'zod'
import type { Fault } from '../errors.ts'
import { pointer } from '../http/request/faults.ts'
import { isObject } from '../http/shapes.ts'
import { UUID } from '../ids.ts'
import { createHint } from '../suggest.ts'
import { ATTRIBUTE_TYPES, type Attribute, type AttributeType, type Definition, ROOT_FIELDS } from './model.ts'
import {
  INDEXED_ATTRIBUTES_MAX,
  InputAttribute,
  type PutProcedure,
  SEARCHABLE_ATTRIBUTES_MAX,
  ShortId,
  State,
} from './schema.ts'

const RESERVED_PROCEDURES = ['phoneNumber']
const RESERVED_ATTRIBUTES: readonly string[] = [...ROOT_FIELDS, 'and', 'or']
const SEARCHABLE_TYPES: readonly AttributeType[] = [
  ...(['string', 'text', 'name', 'email', 'phone', 'url', 'stringEnum', 'multiString', 'multiStringEnum'] as const),
]
const SHORT_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/

/** Finds all faults of a definition that need no stored state. */
export function findDefinitionFaults(shortId: string, body: PutProcedure): Fault[] {
  return [
    ...findShortIdFaults(shortId),
    ...findStatesFaults(body),
    ...findAttributesFaults(body),
    ...findKeysFaults(body),
  ]
}

/**
 * Finds the faults of a definition whose shape has others already, where no part that is out of shape can be the cause:
 * such a part counts by its short id alone.
 */
export function findFurtherFaults(shortId: string, sent: unknown): Fault[] {
  const body = isObject(sent) ? sent : {}
  const readShortId = (value: unknown): string | undefined => ShortId.safeParse(value).data
  const ends = [body.startState, body.completedState].map(state => readShortId(state) ?? '')
  const [startState = '', completedState = ''] = ends
  const sentStates = readParts(body.states, State, named => named) ?? []
  const states = sentStates.length > 0 ? sentStates : [...new Set(ends)].map(state => ({ shortId: state }))
  const attributes = readParts(body.attributes ?? [], InputAttribute, ({ shortId: name }) => ({
    shortId: name,
    type: 'string' as const,
    required: false,
    indexed: false,
  }))
  const faults = findDefinitionFaults(shortId, {
    name: '',
    // Which states complete a process is known where each says it rightly.
    // Which of them complete a process is known where each one's status is.
    states: toComparableStates(body.states, states),
    startState,
    completedState,
    attributes: attributes ?? [],
    primaryKey: (attributes && readShortId(body.primaryKey)) ?? null,
    phoneAttribute: (attributes && readShortId(body.phoneAttribute)) ?? null,
    strict: false,
  })
  // By its id a procedure is replaced, if there is one.
  return UUID.test(shortId) ? faults.filter(({ path }) => !path?.startsWith('/path/')) : faults
}

const toComparableStates = (sent: unknown, states: PutProcedure['states']): PutProcedure['states'] =>
  z.array(State).safeParse(sent).success ? states : states.map(({ status, ...state }) => state)

/** The parts of a list, with a stand-in for each that is out of shape; undefined where it is no list. */
function readParts<Part extends { shortId: string }>(
  sent: unknown,
  schema: z.ZodType<Part>,
  standIn: (named: { shortId: string }) => Part,
): Part[] | undefined {
  if (!Array.isArray(sent)) return undefined
  return sent.map((part: unknown, index) => {
    const { data } = schema.safeParse(part)
    // A text stands for its short id, as the hint says of it. No short id has a control character.
    const shortId = ShortId.safeParse(isObject(part) ? part.shortId : part).data ?? `\0${index}`
    return data ?? standIn({ shortId })
  })
}

function findShortIdFaults(shortId: string): Fault[] {
  const path = pointer('path', 'procedureShortId')
  if (RESERVED_PROCEDURES.includes(shortId)) return [{ message: `${shortId} is a reserved short id`, path }]
  if (UUID.test(shortId)) return [{ message: 'a short id must not look like a UUID', path }]
  if (!SHORT_ID.test(shortId))
    return [{ message: 'a short id is 1 to 100 letters, digits, "_", "." or "-", a letter or digit first', path }]
  return []
}

function findStatesFaults({ states, startState, completedState }: PutProcedure): Fault[] {
  const shortIds = states.map(state => state.shortId)
  const unknown = (shortId: string, path: string): Fault[] =>
    shortIds.includes(shortId)
      ? []
      : [{ message: `there is no state ${JSON.stringify(shortId)}`, path, ...createHint(shortId, shortIds) }]
  return [
    ...findRepeated(shortIds, 'states'),
    ...unknown(startState, '/body/startState'),
    ...unknown(completedState, '/body/completedState'),
    ...findStartFaults(states, startState),
    ...findCompletionFaults(states, completedState),
    ...states.flatMap((state, index) =>
      (state.next ?? []).flatMap((next, at) => unknown(next, pointer('body', 'states', index, 'next', at))),
    ),
  ]
}

const quote = (shortIds: readonly string[]): string => shortIds.map(each => JSON.stringify(each)).join(', ')

function findStartFaults(states: PutProcedure['states'], startState: string): Fault[] {
  if (states.find(each => each.shortId === startState)?.startsHere !== false) return []
  const message = `a new process begins in ${JSON.stringify(startState)}, so it cannot say "startsHere": false`
  return [{ message, path: '/body/startState' }]
}

/** Finds contradictions about the completed state, to which `status: COMPLETED` moves a process. */
function findCompletionFaults(states: PutProcedure['states'], completedState: string): Fault[] {
  const state = states.find(each => each.shortId === completedState)
  const completing = states.filter(each => each.status === 'COMPLETED').map(each => each.shortId)
  if (!state || state.status === 'COMPLETED') return []
  if (state.status === undefined && completing.length === 0) return []
  const message =
    completing.length > 0
      ? `the completed state must be one that says "status": "COMPLETED": ${quote(completing)}`
      : `the completed state cannot say "status": "${state.status}"`
  return [{ message, path: '/body/completedState' }]
}

function findAttributesFaults({ attributes, primaryKey }: PutProcedure): Fault[] {
  const indexed = attributes.filter(each => each.indexed && each.shortId !== primaryKey)
  const tooMany: Fault[] =
    indexed.length > INDEXED_ATTRIBUTES_MAX
      ? [{ message: `at most ${INDEXED_ATTRIBUTES_MAX} attributes can be indexed`, path: '/body/attributes' }]
      : []
  const searchable = attributes.filter(each => each.searchable === true)
  const tooManySearchable: Fault[] =
    searchable.length > SEARCHABLE_ATTRIBUTES_MAX
      ? [{ message: `at most ${SEARCHABLE_ATTRIBUTES_MAX} attributes can be searchable`, path: '/body/attributes' }]
      : []
  return [
    ...findRepeated(
      attributes.map(each => each.shortId),
      'attributes',
    ),
    ...tooMany,
    ...tooManySearchable,
    ...attributes.flatMap((attribute, index) => findAttributeFaults(attribute, index)),
  ]
}

/** Characters that a JSON path of the database cannot name: the log has the values of attributes by their names. */
const UNSAFE_IN_LOG = /["\\]/

function findAttributeFaults(
  { shortId, type, indexed, searchable, personal, values }: PutProcedure['attributes'][number],
  index: number,
): Fault[] {
  const at = (...keys: string[]) => pointer('body', 'attributes', index, ...keys)
  const faults: Fault[] = []
  if (RESERVED_ATTRIBUTES.includes(shortId))
    faults.push({ message: `${JSON.stringify(shortId)} is a reserved attribute short id`, path: at('shortId') })
  const kind = ATTRIBUTE_TYPES[type]
  if (indexed && kind === 'document')
    faults.push({
      message: `an attribute of type ${type} can't be indexed`,
      path: at('indexed'),
      hint: 'filters find it without an index, too',
    })
  if (searchable === true && !SEARCHABLE_TYPES.includes(type))
    faults.push({
      message: `an attribute of type ${type} has no words to search`,
      path: at('searchable'),
      hint: `types with words: ${SEARCHABLE_TYPES.join(', ')}`,
    })
  if (personal === true && UNSAFE_IN_LOG.test(shortId))
    faults.push({
      message: 'the short id of a personal attribute has no quotation mark and no backslash',
      path: at('shortId'),
    })
  const isEnum = type.endsWith('Enum')
  if (isEnum && values === undefined)
    faults.push({ message: `an attribute of type ${type} needs "values"`, path: at('values') })
  if (!isEnum && values !== undefined)
    faults.push({ message: `an attribute of type ${type} has no "values"`, path: at('values') })
  const fits = type.toLowerCase().includes('string')
    ? (value: unknown) => typeof value === 'string'
    : type.toLowerCase().includes('integer')
      ? Number.isSafeInteger
      : (value: unknown) => typeof value === 'number'
  const unfit = isEnum ? (values ?? []).findIndex(value => !fits(value)) : -1
  if (unfit >= 0)
    faults.push({ message: `this value does not fit the type ${type}`, path: at('values', String(unfit)) })
  return faults
}

function findKeysFaults({ attributes, primaryKey, phoneAttribute }: PutProcedure): Fault[] {
  const shortIds = attributes.map(each => each.shortId)
  const key = attributes.find(each => each.shortId === primaryKey)
  const faults: Fault[] = []
  if (primaryKey !== null && !key)
    faults.push({
      message: `there is no attribute ${JSON.stringify(primaryKey)}`,
      path: '/body/primaryKey',
      ...createHint(primaryKey, shortIds),
    })
  if (key && (!['text', 'number'].includes(ATTRIBUTE_TYPES[key.type]) || key.type === 'user'))
    faults.push({
      message: `a primary key is a text or a number; ${key.shortId} is of type ${key.type}`,
      path: '/body/primaryKey',
    })
  if (phoneAttribute !== null && !shortIds.includes(phoneAttribute))
    faults.push({
      message: `there is no attribute ${JSON.stringify(phoneAttribute)}`,
      path: '/body/phoneAttribute',
      ...createHint(phoneAttribute, shortIds),
    })
  return faults
}

function findRepeated(shortIds: string[], member: string): Fault[] {
  return shortIds.flatMap((shortId, index) =>
    shortIds.indexOf(shortId) === index
      ? []
      : [
          {
            message: `the short id ${JSON.stringify(shortId)} is taken twice`,
            path: pointer('body', member, index, 'shortId'),
          },
        ],
  )
}

/** Converts a valid body into the definition that is stored: names default to short ids. */
export const toDefinition = (body: PutProcedure): Definition => ({
  ...body,
  states: body.states.map(({ shortId, name = shortId, next, status, startsHere }) => ({
    shortId,
    name,
    ...(next && { next }),
    ...(status && { status }),
    ...(startsHere === false && { startsHere }),
  })),
  attributes: body.attributes.map(({ name, values, searchable, personal, ...rest }): Attribute => {
    const named = {
      ...rest,
      name: name ?? rest.shortId,
      ...(searchable === true ? { searchable } : {}),
      ...(personal === true ? { personal } : {}),
    }
    return values === undefined ? named : { ...named, values }
  }),
})
