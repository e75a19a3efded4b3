import * as z from 'zod'
import { toCanonicalJson } from '../../../db/document/canonical-json.ts'
import type { Fault } from '../../../errors.ts'
import { decodeCursor, encodeCursor } from './cursor-text.ts'
import type { SortPosition } from './sort.ts'

/**
 * Returns 53 bits that tell queries apart, and the time from which relative times of the query count, if it has any. A
 * cursor grants nothing, so nobody gains by forging it.
 */
export const computeFingerprint = (query: unknown, moment: number | null): string =>
  moment === null ? hash(query) : `${hash(query)}@${moment}`

/** Returns the time of the first page, from which relative times count. */
export function getCursorTime(cursor: string | undefined): number | null {
  if (cursor === undefined) return null
  try {
    const { q } = WithQuery.parse(decodeCursor(cursor))
    const [, moment] = /@(\d{1,15})$/.exec(q) ?? []
    return moment === undefined ? null : Number(moment)
  } catch {
    return null
  }
}

const WithQuery = z.object({ q: z.string() })

function hash(query: unknown): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (const char of toCanonicalJson(query)) {
    const code = char.codePointAt(0) ?? 0
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}

/** The position at which a list goes on. */
export interface ListPosition {
  /** The position after which it goes on; null at the beginning. */
  after: SortPosition | null
  /** The number of matches over which it still has to pass. */
  skip: number
  /** The matches so far of a request that stopped while it sorted. */
  sorted: SortedPart | null
}

/** The first matches among some of the processes. The others are still to be read. */
interface SortedPart {
  /** The row number from which on processes have been read. */
  boundary: number
  /** The row numbers of the first matches. */
  kept: number[]
  /** The position before which no match was dropped; null if none was dropped at all. */
  end: SortPosition | null
}

/** The matches that a cursor can keep: the page, and all that come before it. */
export const KEPT_MAX = 1_000

const Values = z.array(z.union([z.string(), z.number(), z.null()]))
const SortedPartText = z.object({
  b: z.int(),
  k: z.array(z.int()).max(KEPT_MAX),
  e: z.object({ v: Values, r: z.int() }).nullable(),
})
const CursorText = z.object({
  q: z.string(),
  v: Values.optional(),
  r: z.int().optional(),
  s: z.int().min(0).default(0),
  p: SortedPartText.optional(),
})

/** Writes the position of the next page as a text that callers send back as it is. */
export function writeCursor(query: string, { after, skip, sorted }: ListPosition): string {
  const text: z.input<typeof CursorText> = {
    q: query,
    ...(after === null ? {} : { v: after.values, r: after.rid }),
    ...(skip === 0 ? {} : { s: skip }),
    ...(sorted === null ? {} : { p: toSortedPartText(sorted) }),
  }
  return encodeCursor(text)
}

const toSortedPartText = ({ boundary, kept, end }: SortedPart): z.input<typeof SortedPartText> => ({
  b: boundary,
  k: kept,
  e: end === null ? null : { v: end.values, r: end.rid },
})

/** Reads a cursor. `query` is null if the query itself is at fault, so that nothing can be compared. */
export function readCursor(cursor: string, query: string | null, fields: number, path: string): ListPosition | Fault {
  const read = decode(cursor)
  const positions = read === null ? [] : [read.after, read.sorted?.end ?? null].filter(each => each !== null)
  if (read !== null && query !== null && read.query !== query)
    return { message: 'The cursor belongs to another query: `where` and `sort` must stay as they were', path }
  if (read === null || (query !== null && positions.some(({ values }) => values.length !== fields)))
    return { message: 'The cursor is damaged: send back what `_meta.next` held, or start without one', path }
  return read
}

function decode(cursor: string): (ListPosition & { query: string }) | null {
  try {
    const { q, v, r, s, p } = CursorText.parse(decodeCursor(cursor))
    const after = v === undefined || r === undefined ? null : { values: v, rid: r }
    if (after === null && p === undefined) return null
    const end = p?.e ? { values: p.e.v, rid: p.e.r } : null
    return { query: q, after, skip: s, sorted: p === undefined ? null : { boundary: p.b, kept: p.k, end } }
  } catch {
    return null
  }
}
