import { type Fault, invalid } from '../../errors.ts'
import { toFaults } from '../../http/request/faults.ts'
import { EpochMs, isObject } from '../../http/shapes.ts'
import type { May } from '../../permissions.ts'
import { type Entry, quoteRefused, toFailure } from '../entry.ts'
import { type EntryKinds, getKind } from '../kind.ts'
import { type BulkBody, permitEntry, readItem, requireItems } from './body.ts'
import type { Value } from './scan.ts'

/** Entries that were written by hand: of any kind, about any procedure. */
export async function* readSchedule(kinds: EntryKinds, body: BulkBody<Value>, may: May): AsyncGenerator<Entry> {
  for await (const item of body.items()) {
    const entry = readItem(item, '', sent => readScheduled(kinds, sent))
    yield permitEntry(entry, getKind(kinds, entry.apiType)?.permission, may)
  }
  requireItems(body, 'entries')
}

function readScheduled(kinds: EntryKinds, item: unknown): Entry {
  const { apiType, apiData, ...more } = (typeof item === 'object' && item !== null ? item : {}) as Record<
    string,
    unknown
  >
  // Whatever else it is, it is no kind, and to make a text of it may fail.
  const name = typeof apiType === 'string' ? apiType : ''
  const kind = getKind(kinds, name)
  const data = isObject(apiData) ? apiData : {}
  const refused = (faults: Fault[]): Entry => ({
    apiType: name,
    apiData: data,
    invalid: toFailure(invalid(quoteRefused(faults))),
  })
  const extra = Object.keys(more).map(name => ({
    message: `unknown field ${JSON.stringify(name)}`,
    path: `/body/${name}`,
  }))
  if (!kind?.schema) {
    const known = Object.keys(kinds)
      .filter(each => kinds[each]?.schema)
      .join(', ')
    return refused([{ message: `"apiType" must be one of ${known}`, path: '/body/apiType' }, ...extra])
  }
  const result = kind.schema.safeParse(apiData, { reportInput: true })
  const faults = [...(result.success ? [] : toFaults('body', result.error.issues, { whole: '"apiData"' })), ...extra]
  return faults.length > 0 ? refused(faults) : { apiType: name, apiData: result.data as Entry['apiData'] }
}

/** When a job that is scheduled by hand is to start; null: now. */
export function readStartAt(body: BulkBody): number | null {
  const result = EpochMs.nullable().safeParse(body.member('startAt') ?? null, { reportInput: true })
  if (result.success) return result.data
  throw invalid(
    toFaults('body', result.error.issues, { whole: '"startAt"' }).map(fault => ({ ...fault, path: '/body/startAt' })),
  )
}
