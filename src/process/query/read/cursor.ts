import * as z from 'zod'
import { toCanonicalJson } from '../../../db/document/canonical-json.ts'
import type { Fault } from '../../../errors.ts'
import { decodeCursor, encodeCursor } from './cursor-text.ts'
import type { SortPosition } from './sort.ts'

/**
 * 53 bits that tell queries apart, and the moment that relative times of the query count from, if it has any. A cursor
 * grants nothing, so nobody gains by forging it.
 */
export const fingerprint = (query: unknown, moment: number | null): string =>
  moment === null ? hash(query) : `${hash(query)}@${moment}`

/** The moment of the first page. */
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

/** Where a list goes on. */
export interface ListPosition {
  /** Behind this position; null: at the beginning. */
  after: SortPosition | null
  /** How many matches are still to pass over. */
  skip: number
  /** What was found so far by a request that stopped while it sorted. */
  sorted: SortedPart | null
}

/** The first matches of some of the processes; the others are still to be read. */
interface SortedPart {
  /** Processes from this row number on have been read. */
  boundary: number
  /** The row numbers of the matches that were kept. */
  kept: number[]
  /** No match was dropped that comes before this position; null: none was dropped at all. */
  end: SortPosition | null
}

/** The page, and all that comes before it, if it is to be kept in a cursor. */
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

/** Where the next page begins, in a form that callers send back as it is. */
export function writeCursor(query: string, { after, skip, sorted }: ListPosition): string {
  const text: z.input<typeof CursorText> = {
    q: query,
    ...(after === null ? {} : { v: after.values, r: after.rid }),
    ...(skip === 0 ? {} : { s: skip }),
    ...(sorted === null ? {} : { p: sortedPartText(sorted) }),
  }
  return encodeCursor(text)
}

const sortedPartText = ({ boundary, kept, end }: SortedPart): z.input<typeof SortedPartText> => ({
  b: boundary,
  k: kept,
  e: end === null ? null : { v: end.values, r: end.rid },
})

/** What a cursor stands for. `query` is null where the query itself is at fault, so that nothing can be compared. */
export function readCursor(cursor: string, query: string | null, fields: number, path: string): ListPosition | Fault {
  const read = decode(cursor)
  const positions = read === null ? [] : [read.after, read.sorted?.end ?? null].filter(each => each !== null)
  if (read === null || positions.some(({ values }) => values.length !== fields)) {
    return { message: 'The cursor is damaged: send back what `_meta.next` held, or start without one', path }
  }
  if (query === null || read.query === query) return read
  return { message: 'The cursor belongs to another query: `where` and `sort` must stay as they were', path }
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
