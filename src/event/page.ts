import type { StoredEvent } from './stored-event.ts'

/** The bytes of the log that a page may hold. */
const PAGE_BYTES_MAX = 8_000_000

/** A row of the log as it is first read: a long one without its JSON. */
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

/** Chooses the rows whose events fit a page. Of the last one a part is used. */
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
