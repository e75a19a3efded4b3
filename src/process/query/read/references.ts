import { RECORD_FIELDS, type RecordReference, toRecordKey } from '../../../customer-record/query-references.ts'
import { isObject } from '../../../http/shapes.ts'
import { listUserAttributes } from '../../../procedure/declared.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { FILTER_BYTES_MAX, NESTED_QUERIES_MAX } from './filter.ts'

/** The users and customers that a filter names. They are looked up before the filter is parsed. */
export interface FilterReferences {
  users: string[]
  records: RecordReference[]
}

export function listReferences(where: unknown, procedure: Procedure): FilterReferences {
  const userFields = ['assignedTo', ...listUserAttributes(procedure)]
  const named = new Set<string>()
  const records = new Map<string, RecordReference>()
  const collect = (query: unknown, depth: number): void => {
    if (!isObject(query) || depth > NESTED_QUERIES_MAX) return
    for (const each of ['and', 'or'].flatMap(key => query[key] ?? [])) collect(each, depth + 1)
    for (const field of userFields) {
      const side = Object.hasOwn(query, field) ? query[field] : undefined
      for (const value of (isObject(side) ? Object.values(side) : [side]).flat())
        if (typeof value === 'string') named.add(value)
    }
    for (const field of RECORD_FIELDS) {
      if (query[field] === undefined) continue
      const side = query[field]
      for (const value of (isObject(side) ? Object.values(side) : [side]).flat())
        if (typeof value === 'string' || typeof value === 'number')
          records.set(toRecordKey({ field, value: String(value) }), { field, value: String(value) })
    }
  }
  collect(where, 1)
  const names = [...named]
  // A filter this long is refused anyway, so nobody is looked up.
  const length = [...names, ...records.keys()].reduce((sum, name) => sum + name.length, 0)
  return length > FILTER_BYTES_MAX ? { users: [], records: [] } : { users: names, records: [...records.values()] }
}
