import type { Author } from './author.ts'
import type { EventType } from './types.ts'

/** One event of the log. A row holds one or more of them. */
export interface StoredEvent {
  sequence: number
  at: number
  type: EventType
  /** The number of the procedure, of events about processes. */
  proc: number | null
  by: Author
  /** Of a process or a record: its row number. */
  key: string
  given: unknown
  /** Undefined where nothing was replaced. */
  was: unknown
}

/** A row of the log, its JSON parsed. */
export interface EventRow extends Pick<StoredEvent, 'at' | 'type' | 'proc' | 'by'> {
  /** Of the last event in it. */
  sequence: number
  count: number
  given: Record<string, unknown>
  was: Record<string, unknown> | null
}

/** The events of a row after a sequence number, in their order. Row numbers are too large to be sorted as array indexes. */
export const eventsOfRow = (row: EventRow, after: number): StoredEvent[] => {
  const { sequence, count, at, type, proc, by, given, was } = row
  return Object.entries(given)
    .map(([key, each], nth) => ({
      at,
      type,
      proc,
      by,
      sequence: sequence - count + 1 + nth,
      key,
      given: each,
      was: was?.[key],
    }))
    .filter(each => each.sequence > after)
}
