import { invalid } from '../../errors.ts'

/** The position up to which a history was read, as the next page needs it. */
export interface HistoryPosition {
  /** The row of the log with the next event of the process; null: there is none. */
  next: number | null
  /** The version that the process had, and since when. */
  version: number
  since: number
  /** Its customer, and the row with the next event of that: 0 where it has none, null where it is to be found. */
  record: number | null
  recordNext: number | null
}

const BASE = 36
const write = (number: number | null): string => (number === null ? '' : number.toString(BASE))
const read = (text: string | undefined): number | null => (text ? Number.parseInt(text, BASE) : null)

export const writePosition = ({ next, version, since, record, recordNext }: HistoryPosition): string =>
  [next, version, since, record, recordNext].map(write).join('.')

export function readPosition(cursor: string): HistoryPosition {
  if (!/^([0-9a-z]{0,10}\.){4}[0-9a-z]{0,10}$/.test(cursor))
    throw invalid([{ message: 'the cursor is invalid', path: '/query/cursor' }])
  const [next, version, since, record, recordNext] = cursor.split('.').map(read)
  return {
    next: next ?? null,
    version: version ?? 0,
    since: since ?? 0,
    record: record ?? null,
    recordNext: recordNext ?? null,
  }
}
