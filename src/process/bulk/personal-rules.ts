import type { EntryKind } from '../../background-job/kind.ts'
import { isObject } from '../../http/shapes.ts'
import { identifiesNobody } from '../customer.ts'

type Body = Record<string, unknown>

/**
 * What is left of an entry about a process of a customer who is erased everywhere: without the personal attributes, and
 * without what it says of the customer, unless that is about another one.
 */
const withoutPersonalIn =
  (member: 'processUpdate' | 'processCreate'): NonNullable<EntryKind['withoutPersonal']> =>
  (apiData, names) => {
    const body = apiData[member]
    if (!isObject(body)) return null
    const left = withoutCustomer(withoutAttributes(body, names))
    return left === body ? apiData : { ...apiData, [member]: left }
  }

export const updateWithoutPersonal = withoutPersonalIn('processUpdate')
export const createWithoutPersonal = withoutPersonalIn('processCreate')

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
