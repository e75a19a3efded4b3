import type { Fault } from '../../../errors.ts'
import { isObject } from '../../../http/shapes.ts'
import type { SortPosition } from './sort.ts'

/** Members in the order of their names, so that two spellings of one query are the same text. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1))) : each,
  ) ?? ''

/** 53 bits that tell queries apart. A cursor grants nothing, so nobody gains by forging it. */
export function fingerprint(query: unknown): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (const char of canonical(query)) {
    const code = char.codePointAt(0) ?? 0
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}

/** Where the next page begins, in a form that callers send back as it is. */
export function writeCursor(query: string, { values, rid }: SortPosition): string {
  const bytes = new TextEncoder().encode(JSON.stringify({ q: query, v: values, r: rid }))
  const text = Array.from(bytes, byte => String.fromCharCode(byte)).join('')
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** What a cursor stands for. `query` is null where the query itself is at fault, so that nothing can be compared. */
export function readCursor(cursor: string, query: string | null, fields: number, path: string): SortPosition | Fault {
  const read = decode(cursor)
  if (read === null || read.values.length !== fields) {
    return { message: 'The cursor is damaged: send back what `_meta.next` held, or start without one', path }
  }
  if (query === null || read.query === query) return { values: read.values, rid: read.rid }
  return { message: 'The cursor belongs to another query: `where` and `sort` must stay as they were', path }
}

function decode(cursor: string): (SortPosition & { query: string }) | null {
  try {
    const bytes = Uint8Array.from(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')), char => char.charCodeAt(0))
    const { q, v, r }: { q?: unknown; v?: unknown; r?: unknown } = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof q !== 'string' || !Array.isArray(v) || typeof r !== 'number' || !Number.isSafeInteger(r)) return null
    const values: unknown[] = v
    const sound = values.every(each => each === null || typeof each === 'string' || typeof each === 'number')
    return sound ? { query: q, values: values as SortPosition['values'], rid: r } : null
  } catch {
    return null
  }
}
