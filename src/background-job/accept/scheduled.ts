import { type Fault, invalid } from '../../errors.ts'
import { faultsOf } from '../../http/request/faults.ts'
import type { Bytes } from '../../http/route.ts'
import { EpochMs, isObject } from '../../http/shapes.ts'
import type { May } from '../../permissions.ts'
import { type Entry, failureOf } from '../entry.ts'
import { type EntryKinds, kindOf } from '../kind.ts'
import { permitEntry } from './body.ts'
import { parse, type Scanned, type Span } from './scan.ts'

/** Entries that were written by hand: of any kind, about any procedure. */
export function* scheduledEntries(kinds: EntryKinds, bytes: Bytes, items: Span[], may: May): Generator<Entry> {
  for (const span of items) {
    const entry = readScheduled(kinds, parse(bytes, span))
    yield permitEntry(entry, kindOf(kinds, entry.apiType)?.permission, may)
  }
}

function readScheduled(kinds: EntryKinds, item: unknown): Entry {
  const { apiType, apiData, ...more } = (typeof item === 'object' && item !== null ? item : {}) as Record<
    string,
    unknown
  >
  // Whatever else it is, it is no kind, and to make a text of it may fail.
  const name = typeof apiType === 'string' ? apiType : ''
  const kind = kindOf(kinds, name)
  const data = isObject(apiData) ? apiData : {}
  const refused = (faults: Fault[]): Entry => ({
    apiType: name,
    apiData: data,
    invalid: failureOf(invalid(faults)),
  })
  const extra = Object.keys(more).map(name => ({
    message: `unknown field ${JSON.stringify(name)}`,
    path: `/body/${name}`,
  }))
  if (!kind) {
    const known = Object.keys(kinds).join(', ')
    return refused([{ message: `"apiType" must be one of ${known}`, path: '/body/apiType' }, ...extra])
  }
  const result = kind.schema.safeParse(apiData, { reportInput: true })
  const faults = [...(result.success ? [] : faultsOf('body', result.error.issues, [], '"apiData"')), ...extra]
  return faults.length > 0 ? refused(faults) : { apiType: name, apiData: result.data as Entry['apiData'] }
}

/** When a job that is scheduled by hand is to start; null: now. */
export function startAtOf(bytes: Bytes, { members }: Scanned): number | null {
  const span = members.get('startAt')
  const result = EpochMs.nullable().safeParse(span ? parse(bytes, span) : null, { reportInput: true })
  if (result.success) return result.data
  throw invalid(faultsOf('body', result.error.issues).map(fault => ({ ...fault, path: '/body/startAt' })))
}
