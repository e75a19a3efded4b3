import type { EntrySource } from '../../background-job/accept/accept-job.ts'
import { permitEntry, requireItems, scanMembers } from '../../background-job/accept/body.ts'
import { parse } from '../../background-job/accept/scan.ts'
import { type Entry, failureOf } from '../../background-job/entry.ts'
import { reportFaults } from '../../errors.ts'
import type { Bytes } from '../../http/route.ts'
import type { May } from '../../permissions.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { PERMISSIONS_OF_KINDS } from './kinds.ts'
import { type ReadEntry, readCreateItem, readUpdateItem } from './schema.ts'
import { readUpdateWhere } from './where.ts'

const LIST = 'processes'

/** Of all entries of a request together: a suggestion takes up to half a millisecond. */
const SUGGESTIONS_PER_REQUEST_MAX = 1_000

/** Makes entries of what was read; all of one request share its suggestions. */
function entriesOfRequest(): (read: ReadEntry) => Entry {
  const budget = { left: SUGGESTIONS_PER_REQUEST_MAX }
  return ({ apiType, apiData, faults }) => {
    if (faults.length === 0) return { apiType, apiData }
    const reported = reportFaults(faults, budget)
    return { apiType, apiData, invalid: failureOf({ code: 'invalid_request', faults: reported }) }
  }
}

/** A list of items with their updates, or one update for all that match a `where`. */
export async function parseUpdates(
  scope: Scope,
  procedure: Procedure,
  bytes: Bytes,
  may: May,
): Promise<EntrySource['entries']> {
  const scanned = scanMembers(bytes, LIST, ['where', 'update'])
  if (scanned.members.has('where') || scanned.members.has('update'))
    return readUpdateWhere(scope, procedure, bytes, scanned, may)
  const items = requireItems(scanned, LIST)
  return function* () {
    const entryOf = entriesOfRequest()
    for (const span of items) {
      const read = readUpdateItem(procedure, parse(bytes, span))
      yield permitEntry(entryOf(read), PERMISSIONS_OF_KINDS[read.apiType], may)
    }
  }
}

export function parseCreates(procedure: Procedure, bytes: Bytes): EntrySource['entries'] {
  const items = requireItems(scanMembers(bytes, LIST), LIST)
  return function* () {
    const entryOf = entriesOfRequest()
    for (const span of items) yield entryOf(readCreateItem(procedure, parse(bytes, span)))
  }
}
