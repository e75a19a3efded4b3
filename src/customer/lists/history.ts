import { listRecordChanges } from '../../customer-record/append-events.ts'
import { unknownRecordError } from '../../customer-record/rows.ts'
import { viewAuthor } from '../../event/author.ts'
import { readRowCursor, writeRowCursor } from '../../http/request/row-cursor.ts'
import { toRowNo, UUID } from '../../ids.ts'
import { type HistoryScope, loadCurrentRecord } from '../../process/history/read-log.ts'
import type { RecordEvent } from '../../process/history/snapshot.ts'
import type { CustomerHistoryEntry, CustomerPageQuery } from '../schema.ts'

interface HistoryOfCustomer {
  entries: CustomerHistoryEntry[]
  next: string | null
  /** False at the end if earlier changes have expired. */
  isComplete: boolean
}

/** The version of a record that nobody has changed. */
const FIRST_VERSION = 1

/** Lists the changes of a customer, newest first. Values that were sent and were there already are left out. A merged customer keeps their own history. */
export async function listCustomerHistory(
  scope: HistoryScope,
  id: string,
  { cursor, limit }: CustomerPageQuery,
): Promise<HistoryOfCustomer> {
  const page = { rowsMax: limit + 1, sequences: true, ...(cursor !== undefined && { last: readRowCursor(cursor) }) }
  const found = await loadCurrentRecord(scope, UUID.test(id) ? toRowNo(id) : -1, page)
  if (found?.row.id !== id.toLowerCase()) throw unknownRecordError(id)
  const { events, row } = found
  const last = events.at(-1)
  const next = events[limit]?.row ?? (last?.isFull ? last.previousRow : null)
  return {
    entries: events.slice(0, limit).flatMap(viewRecordEvent),
    next: next === null ? null : writeRowCursor(next),
    isComplete: next !== null || getVersionBefore(last, row.version) === FIRST_VERSION,
  }
}

const getVersionBefore = (event: RecordEvent | undefined, now: number): number => event?.before?.version ?? now

function viewRecordEvent({ at, by, after, before, sequence }: RecordEvent): CustomerHistoryEntry[] {
  const changes = before ? listRecordChanges(after, before) : []
  const { merged, entry } = after
  if (before === undefined || (changes.length === 0 && merged === undefined)) return []
  const shown = { at, by: viewAuthor(by, entry), changes, sequence: sequence ?? 0 }
  return [
    merged === undefined
      ? { version: before.version + 1, type: 'record.updated', ...shown }
      : { version: before.version + 1, type: 'record.merged', merged, ...shown },
  ]
}
