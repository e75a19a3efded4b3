/** Of the API: a page of a list has no more. */
export const PAGE_ROWS = 100
/** As many pages are read one after another by cursor, before the rows between are skipped. */
const CHAIN_PAGES_MAX = 5
/** Held at once: 3,000 rows. What is dropped is read again by its cursor. */
const HELD_PAGES_MAX = 30
/** Drawn after the last row that was read, where nobody knows how many there are: they say that there are more. */
const UNKNOWN_ROWS = 20

export const pageOf = (row: number): number => Math.floor(row / PAGE_ROWS)

/** How a page is read: from where the page before it ended, or by passing over all rows before it. */
export type NextRead = { page: number; by: 'cursor' } | { page: number; by: 'skip' }

interface KnownPages {
  /** Where it begins is known: always of page 0. */
  hasCursor: (page: number) => boolean
  isHeld: (page: number) => boolean
}

/**
 * What has to be read next to have a page. A cursor costs the same anywhere in the list, `skip` reads what it passes over:
 * so a reader who scrolls upwards after a jump gets some pages by each of them.
 */
export function nextRead(wanted: number, { hasCursor, isHeld }: KnownPages): NextRead {
  const nearest = Math.max(0, wanted - CHAIN_PAGES_MAX + 1)
  for (let page = wanted; page >= nearest; page--) if (hasCursor(page)) return { page, by: 'cursor' }
  return { page: isHeld(wanted + 1) ? nearest : wanted, by: 'skip' }
}

/** Those that are dropped: the farthest from what is in sight. */
export function pagesToDrop(held: readonly number[], first: number, last: number): number[] {
  const distance = (page: number) => Math.max(first - page, page - last, 0)
  return [...held].sort((one, other) => distance(one) - distance(other)).slice(HELD_PAGES_MAX)
}

interface KnownLength {
  /** Exactly, once the last page was read. */
  end: number | undefined
  /** As they were counted; undefined while nobody has, and for a search by words. */
  count: number | undefined
  /** The rows up to the end of the farthest page that was read without a gap before it. */
  readTo: number
  /** False where the order of the list can't be passed over: then rows are reached one page after another. */
  canSkip: boolean
}

/** How many rows the table has room for. */
export function lengthOf({ end, count, readTo, canSkip }: KnownLength): number {
  if (end !== undefined) return end
  // Others may have made some since they were counted.
  if (canSkip && count !== undefined && count > readTo) return count
  return readTo + UNKNOWN_ROWS
}
