import type { ChainEnd, ChainRow } from '../chain.ts'
import type { EventMember } from './members.ts'
import type { MovedLog, MovedRows } from './open.ts'

/** The R2 objects that one page opens; the next page goes on. */
const OBJECTS_PER_PAGE = 10

interface MovedPage extends ChainEnd {
  rid: number
  /** The row to begin at. */
  from: number
  /** The number of events that fit the page. */
  rowsMax: number
  sequences?: boolean | undefined
}

/** Goes on with the events of a process or a customer where `prepareChain` has come to what was moved, and ends as it does. */
export async function readMovedChain(
  moved: MovedLog,
  { rid, from, rowsMax, sequences = false, ...end }: MovedPage,
): Promise<ChainRow[]> {
  const found: ChainRow[] = []
  const key = String(rid)
  let next: number | null = from
  for (let objects = 0; next !== null && found.length < rowsMax; objects++) {
    if (objects === OBJECTS_PER_PAGE) return endEarly(found)
    try {
      const object: MovedRows | undefined = await moved.find(next)
      if (!object) return found
      while (next !== null && next >= object.first && found.length < rowsMax) {
        const member = object.readMember(next, key)
        if (!member) return found
        found.push(toChainRow(key, member, { nth: found.length + 1, sequences }))
        if (isEnd({ row: member.row.sequence, at: member.row.at, version: member.version }, end)) return found
        next = member.previous
      }
    } catch (error) {
      // The events found so far are returned, with a mark that more follow.
      if (found.length === 0) throw error
      return endEarly(found)
    }
  }
  return found
}

const endEarly = (found: readonly ChainRow[]): ChainRow[] =>
  found.map((row, nth) => (nth === found.length - 1 ? { ...row, isFull: 1 } : row))

interface EventPlace {
  row: number
  at: number
  version: number | null
}

/** Decides whether a page ends with an event, whatever is before it. `isAbove` of `chain.ts` says the same in SQL. */
export function isEnd({ row, at, version }: EventPlace, end: ChainEnd): boolean {
  return !(at > (end.at ?? -1) && version !== null && version >= (end.version ?? -1) && row > (end.row ?? -1))
}

const toChainRow = (
  key: string,
  { row, names, after, before }: EventMember,
  { nth, sequences }: { nth: number; sequences: boolean },
): ChainRow => ({
  nth,
  row: row.sequence,
  at: row.at,
  type: row.type,
  by: row.by,
  sequence: sequences ? row.sequence - row.count + 1 + names.indexOf(key) : null,
  after: JSON.stringify(after),
  before: before === undefined ? null : JSON.stringify(before),
  isFull: 0,
})
