import type { Procedure, Process, Query } from 'caseworker'
import { isNumberType } from '../parts/attribute/types.ts'
import { formatCustomerName, NAMES } from '../parts/customer/customer-name.ts'
import { stripBidi } from '../parts/text/strip-bidi.ts'

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Two letters or digits, and no more than a search takes. */
const NAME = /^(?=.*[\p{L}\p{N}].*[\p{L}\p{N}]).{2,200}$/u
const NUMBER = /^\+?[\d\s()./-]{7,40}$/
const KEY_LENGTH_MIN = 2
/** Each procedure costs a search of all its words. */
const SEARCHED_PROCEDURES_MAX = 6
const FOUND_BY_NAME_MAX = 3

type TextKind = 'id' | 'address' | 'number' | 'name' | 'none'

/** Recognises a number, an address, an id or a name in a text. */
export function getTextKind(text: string): TextKind {
  if (UUID.test(text)) return 'id'
  if (text.includes('@')) return text.length > KEY_LENGTH_MIN ? 'address' : 'none'
  if (NUMBER.test(text)) return 'number'
  return NAME.test(text) ? 'name' : 'none'
}

export interface ProcessSearch {
  procedure: Procedure
  body: { where: Query; limit: number } | { search: string; limit: number }
}

const isName = ({ shortId, type }: Procedure['attributes'][number]): boolean =>
  type === 'name' || NAMES.includes(shortId)

/** Returns whether processes of a procedure can be found by words of a name. */
const hasNames = ({ attributes }: Procedure): boolean =>
  attributes.some(each => each.searchable === true && isName(each)) &&
  attributes.every(({ searchReady }) => searchReady !== false)

/** The query that finds a process by an id or a primary key; undefined: there is nothing to look for. */
function buildWhere({ primaryKey, attributes }: Procedure, text: string): Query | undefined {
  if (UUID.test(text)) return { id: text.toLowerCase() }
  if (primaryKey === null || text.length < KEY_LENGTH_MIN) return undefined
  const type = attributes.find(({ shortId }) => shortId === primaryKey)?.type ?? 'string'
  if (!isNumberType(type)) return /\s/.test(text) ? undefined : { [primaryKey]: text }
  return /^\d{1,15}$/.test(text) ? { [primaryKey]: Number(text) } : undefined
}

/** The searches that find the processes a text names: by id, by primary key, and by words of a name. */
export function buildProcessSearches(procedures: readonly Procedure[], text: string): ProcessSearch[] {
  const byKey = procedures.flatMap((procedure): ProcessSearch[] => {
    const where = buildWhere(procedure, text)
    return where === undefined ? [] : [{ procedure, body: { where, limit: 1 } }]
  })
  if (getTextKind(text) !== 'name') return byKey
  const named = procedures.filter(hasNames).slice(0, SEARCHED_PROCEDURES_MAX)
  const body = { search: text, limit: FOUND_BY_NAME_MAX }
  return [...byKey, ...named.map(procedure => ({ procedure, body }))]
}

/** Returns the name of a process's customer, or of the person in its own attributes. */
export function getProcessPerson({ attributes }: Procedure, { data, record }: Process): string | undefined {
  if (record) return formatCustomerName(record)
  const name = attributes.filter(isName).map(({ shortId }) => data[shortId])
  const given = name.find(value => typeof value === 'string' && value !== '')
  return typeof given === 'string' ? stripBidi(given) : undefined
}
