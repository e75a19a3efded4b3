import { AppError, type Fault, invalid, reportFaults } from '../../errors.ts'
import { faultsOf } from '../../http/faults.ts'
import type { Bytes } from '../../http/route.ts'
import { TASKS, taskOf } from '../../kinds.ts'
import type { Permission } from '../../permissions.ts'
import type { Procedure } from '../../procedure/model.ts'
import { type Read, readCreateItem, readUpdateItem } from '../../process/bulk/schema.ts'
import { EpochMs } from '../../process/schema.ts'
import { type Entry, failureOf } from '../entry.ts'
import { API_TYPES } from '../schema.ts'
import { ENTRIES_MAX } from './accept-job.ts'
import { parse, type Scanned, type Span, scan, unknownMembers } from './scan.ts'

export type May = (permission: Permission) => boolean

/** What a caller may not do by a single request, they may not do by an entry either. */
export function permitted(entry: Entry, may: May): Entry {
  const permission = taskOf(entry.apiType)?.permission
  if (entry.invalid || permission === undefined || may(permission)) return entry
  const message = `your role lacks the permission ${permission}`
  return { ...entry, invalid: failureOf(new AppError('permission_denied', [{ message, detail: { permission } }])) }
}

/** Of all entries of a request together: a suggestion takes up to half a millisecond. */
const SUGGESTIONS_PER_REQUEST_MAX = 1_000

/** Makes entries of what was read; all of one request share its suggestions. */
function entriesOfRequest(): (read: Read) => Entry {
  const budget = { left: SUGGESTIONS_PER_REQUEST_MAX }
  return ({ apiType, apiData, faults }) => {
    if (faults.length === 0) return { apiType, apiData }
    const reported = reportFaults(faults, budget)
    return { apiType, apiData, invalid: failureOf({ code: 'invalid_request', faults: reported }) }
  }
}

/** What stands at the top of a body: only what is wrong with the request as a whole refuses it. */
export function scanMembers(bytes: Bytes, list: string, others: readonly string[] = []): Scanned {
  const scanned = scan(bytes, list, ENTRIES_MAX)
  const faults = unknownMembers(scanned.members.keys(), [list, ...others])
  if (faults.length > 0) throw invalid(faults)
  return scanned
}

export function itemsOf({ items }: Scanned, list: string): Span[] {
  if (!items) throw invalid([{ message: `"${list}" must be a list`, path: `/body/${list}` }])
  if (items.length === 0) throw invalid([{ message: `"${list}" is empty`, path: `/body/${list}` }])
  return items
}

export function* updateEntries(procedure: Procedure, bytes: Bytes, items: Span[], may: May): Generator<Entry> {
  const entryOf = entriesOfRequest()
  for (const span of items) yield permitted(entryOf(readUpdateItem(procedure, parse(bytes, span))), may)
}

export function* createEntries(procedure: Procedure, bytes: Bytes, items: Span[]): Generator<Entry> {
  const entryOf = entriesOfRequest()
  for (const span of items) yield entryOf(readCreateItem(procedure, parse(bytes, span)))
}

/** Entries that were written by hand: of any kind, about any procedure. */
export function* handmadeEntries(bytes: Bytes, items: Span[], may: May): Generator<Entry> {
  for (const span of items) yield permitted(readHandmade(parse(bytes, span)), may)
}

function readHandmade(item: unknown): Entry {
  const { apiType, apiData, ...more } = (typeof item === 'object' && item !== null ? item : {}) as Record<
    string,
    unknown
  >
  const task = taskOf(String(apiType))
  const data = (
    typeof apiData === 'object' && apiData !== null && !Array.isArray(apiData) ? apiData : {}
  ) as Entry['apiData']
  const refused = (faults: Fault[]): Entry => ({
    apiType: String(apiType ?? ''),
    apiData: data,
    invalid: failureOf(invalid(faults)),
  })
  const extra = Object.keys(more).map(name => ({
    message: `unknown field ${JSON.stringify(name)}`,
    path: `/body/${name}`,
  }))
  if (!task) {
    const known = API_TYPES.filter(each => TASKS[each]).join(', ')
    return refused([{ message: `"apiType" must be one of ${known}`, path: '/body/apiType' }, ...extra])
  }
  const result = task.schema.safeParse(apiData, { reportInput: true })
  const faults = [...(result.success ? [] : faultsOf('body', result.error.issues, [], '"apiData"')), ...extra]
  return faults.length > 0 ? refused(faults) : { apiType: String(apiType), apiData: result.data as Entry['apiData'] }
}

/** When a job that is scheduled by hand is to start; null: now. */
export function startAtOf(bytes: Bytes, { members }: Scanned): number | null {
  const span = members.get('startAt')
  const result = EpochMs.nullable().safeParse(span ? parse(bytes, span) : null, { reportInput: true })
  if (result.success) return result.data
  throw invalid(faultsOf('body', result.error.issues).map(fault => ({ ...fault, path: '/body/startAt' })))
}
