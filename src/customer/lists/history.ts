import { viewAuthor } from '../../event/author.ts'
import { readRowCursor, writeRowCursor } from '../../http/request/row-cursor.ts'
import { ridOf, UUID } from '../../ids.ts'
import type { PastMerge } from '../../process/history/past.ts'
import { readPresentRecord } from '../../process/history/read-past.ts'
import { unknownCustomer } from '../../record/customer.ts'
import { changesOfRecord } from '../../record/events.ts'
import type { Scope } from '../../scope.ts'
import type { RecordHistoryEntry, RecordPageQuery } from '../schema.ts'

interface HistoryOfRecord {
  entries: RecordHistoryEntry[]
  next: string | null
  /** False at the end, where changes of before are not kept any more. */
  isComplete: boolean
}

/** Of a record that nobody has changed. */
const FIRST_VERSION = 1

/** The changes of a customer, newest first. What was sent and had this value already is left out. One who was merged keeps their own. */
export async function listHistoryOfRecord(
  scope: Scope,
  id: string,
  { cursor, limit }: RecordPageQuery,
): Promise<HistoryOfRecord> {
  const page = { rowsMax: limit + 1, sequences: true, ...(cursor !== undefined && { last: readRowCursor(cursor) }) }
  const found = await readPresentRecord(scope, UUID.test(id) ? ridOf(id) : -1, page)
  if (found?.row.id !== id.toLowerCase()) throw unknownCustomer(id)
  const { events, row } = found
  const last = events.at(-1)
  const next = events[limit]?.row ?? (last?.isFull ? last.before : null)
  return {
    entries: events.slice(0, limit).flatMap(viewMerge),
    next: next === null ? null : writeRowCursor(next),
    isComplete: next !== null || versionBefore(last, row.version) === FIRST_VERSION,
  }
}

const versionBefore = (event: PastMerge | undefined, now: number): number => event?.was?.[0] ?? now

function viewMerge({ at, by, given, was, sequence }: PastMerge): RecordHistoryEntry[] {
  const changes = was ? changesOfRecord(given, was) : []
  const { merged, entry } = given
  if (was === undefined || (changes.length === 0 && merged === undefined)) return []
  const shown = { at, by: viewAuthor(by, entry), changes, sequence: sequence ?? 0 }
  return [
    merged === undefined
      ? { version: was[0] + 1, type: 'record.updated', ...shown }
      : { version: was[0] + 1, type: 'record.merged', merged, ...shown },
  ]
}
