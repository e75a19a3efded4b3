import type { StoredEvent } from './stored-event.ts'

/** What a page may hold of the log. */
const PAGE_BYTES_MAX = 8_000_000

/** A row of the log as it is looked at first: a long one without what it holds. */
export interface LogRow extends Pick<StoredEvent, 'at' | 'type' | 'proc'> {
  sequence: number
  count: number
  isWanted: number
  bytes: number
  by: string | null
  after: string | null
  before: string | null
}

interface LogPage {
  rows: LogRow[]
  found: number
  bytes: number
  lookedTo: number
  isFull: boolean
}

/** The rows whose events a page has room for; the last one is used in part. */
export function choosePage(rows: readonly LogRow[], after: number, limit: number, bytesBefore = 0): LogPage {
  const page: LogPage = { rows: [], found: 0, bytes: bytesBefore, lookedTo: after, isFull: false }
  for (const row of rows) {
    if (row.isWanted === 0) {
      page.lookedTo = row.sequence
      continue
    }
    const isTooMuch = page.bytes > 0 && page.bytes + row.bytes > PAGE_BYTES_MAX
    if (page.found >= limit || isTooMuch) return { ...page, isFull: true }
    const first = Math.max(row.sequence - row.count, after)
    const taken = Math.min(row.sequence - first, limit - page.found)
    page.rows.push(row)
    page.found += taken
    page.bytes += row.bytes
    page.lookedTo = first + taken
    if (page.lookedTo < row.sequence) return { ...page, isFull: true }
  }
  return { ...page, isFull: page.found >= limit }
}
