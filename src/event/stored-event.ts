import type { Author } from './author.ts'

/** One event of the log. A row holds one or more of them. */
export interface StoredEvent {
  sequence: number
  at: number
  type: string
  /** The number of the procedure, of events about processes. */
  proc: number | null
  by: Author
  /** The name of its member in the row. Events of processes and customers are named by their row numbers. */
  key: string
  after: unknown
  /** It is undefined where nothing was replaced. */
  before: unknown
}

/** A row of the log, its JSON parsed. */
export interface EventRow extends Pick<StoredEvent, 'at' | 'type' | 'proc' | 'by'> {
  /** The number of the last event in it. */
  sequence: number
  count: number
  after: Record<string, unknown>
  before: Record<string, unknown> | null
}

/** Lists the events of a row after a sequence number, in their order. `Object.entries` keeps it, because row numbers are no array indexes. */
export const listRowEvents = (row: EventRow, afterSequence: number): StoredEvent[] => {
  const { sequence, count, at, type, proc, by, after, before } = row
  return Object.entries(after)
    .map(([key, each], nth) => ({
      at,
      type,
      proc,
      by,
      sequence: sequence - count + 1 + nth,
      key,
      after: each,
      before: before?.[key],
    }))
    .filter(each => each.sequence > afterSequence)
}
