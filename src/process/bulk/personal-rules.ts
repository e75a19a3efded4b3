import type { EntryKind } from '../../background-job/kind.ts'
import { isObject } from '../../http/shapes.ts'
import { identifiesNobody } from '../customer.ts'

type Body = Record<string, unknown>

/**
 * What is left of an entry about a process of a customer who is erased everywhere: without the personal attributes, and
 * without what it says of the customer, unless that is about another one.
 */
const withoutPersonalIn =
  (member: 'processUpdate' | 'processCreate' | 'processUpsert'): NonNullable<EntryKind['withoutPersonal']> =>
  (apiData, names) => {
    const body = apiData[member]
    if (!isObject(body)) return null
    const left = withoutCustomer(withoutAttributes(body, names))
    return left === body ? apiData : { ...apiData, [member]: left }
  }

export const updateWithoutPersonal = withoutPersonalIn('processUpdate')
export const createWithoutPersonal = withoutPersonalIn('processCreate')
export const upsertWithoutPersonal = withoutPersonalIn('processUpsert')

/** The primary key of the process that the entry is about: which attribute that is, the definition says. */
export const findUpsertKey: NonNullable<EntryKind['findKey']> = ({ processUpsert: body }, keyName) => {
  const data = isObject(body) && isObject(body.data) ? body.data : {}
  const value = Object.hasOwn(data, keyName) ? data[keyName] : undefined
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function withoutAttributes(body: Body, names: readonly string[]): Body {
  const { data } = body
  if (!isObject(data) || !names.some(name => Object.hasOwn(data, name))) return body
  return { ...body, data: Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name))) }
}

function withoutCustomer(body: Body): Body {
  const { record, ...rest } = body
  return isObject(record) && isObject(record.data) && identifiesNobody({ data: record.data }) && record.id === undefined
    ? rest
    : body
}
