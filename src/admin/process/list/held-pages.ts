import { CaseworkerError, type Process } from 'caseworker'

/** The start of a page. */
export type PageStart = { cursor: string | undefined } | { skip: number }

/** A whole page, or the last one: then `next` is null. */
interface LoadedPage {
  rows: readonly Process[]
  next: string | null
}

export type PageReader = (start: PageStart, signal: AbortSignal) => Promise<LoadedPage>

/** The known part of the list; a new object each time it changes. */
export interface ListState {
  end: number | undefined
  readTo: number
  canSkip: boolean
  failure: unknown
}

/**
 * The time for which the scroll position has to rest before a page is loaded: dragging the scroll bar passes many
 * pages.
 */
const SETTLE_MS = 120
/** A page this near to the viewport is read to its end: the reader may see it, or the next page starts there. */
const PAGES_AROUND = 3

const isTooDeep = (error: unknown): boolean =>
  error instanceof CaseworkerError && error.status === 400 && error.errors.some(({ path }) => path === '/body/skip')

const settled = () => new Promise(resolve => setTimeout(resolve, SETTLE_MS))

/**
 * The pages of a list around what is in sight. Reading one costs the same however many there are: none of the others is
 * looked at, and those far away are dropped. Their cursors stay, so that they are read again as they were.
 */
export class HeldPages {
  readonly #read: PageReader
  readonly #pages = new Map<number, readonly Process[]>()
  readonly #cursors = new Map<number, string | undefined>([[0, undefined]])
  readonly #listeners = new Set<() => void>()
  #wanted: readonly [first: number, last: number] = [0, 0]
  #focused: number | undefined
  #reading: { page: number; stop: AbortController } | undefined
  #movedAt = 0
  state: ListState = { end: undefined, readTo: 0, canSkip: true, failure: undefined }

  constructor(read: PageReader) {
    this.#read = read
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  rowAt(index: number): Process | undefined {
    return this.#pages.get(getPage(index))?.[index % PAGE_ROWS]
  }

  /** Rows of pages in sight: what "all that are shown" means. */
  rowsFrom(first: number, last: number): Process[] {
    const rows: Process[] = []
    for (let page = getPage(first); page <= getPage(last); page++) rows.push(...(this.#pages.get(page) ?? []))
    return rows
  }

  /** The first page: what it fails by is the whole list's failure. */
  async begin(signal: AbortSignal): Promise<void> {
    this.#keep(0, await this.#read({ cursor: undefined }, signal))
  }

  /** Reads the pages of the viewport and near it. The row that has the focus stays held, wherever it is. */
  want(first: number, last: number, focused?: number): void {
    const [before] = this.#wanted
    this.#wanted = [getPage(first), getPage(last)]
    this.#focused = focused === undefined ? undefined : getPage(focused)
    if (this.#wanted[0] !== before) this.#movedAt = Date.now()
    if (this.#reading && this.#isFar(this.#reading.page)) this.#reading.stop.abort()
    void this.#readOn()
  }

  retry(): void {
    this.#tell({ failure: undefined })
    void this.#readOn()
  }

  /** Returns all rows of a range, also dropped and unread ones. */
  async rowsBetween(first: number, last: number): Promise<Process[]> {
    const pages: (readonly Process[])[] = []
    for (let page = getPage(first); page <= getPage(last); page++) pages.push(await this.#pageFor(page))
    const before = getPage(first) * PAGE_ROWS
    return pages.flat().slice(first - before, last - before + 1)
  }

  /** Puts a changed process in the place of what was shown. */
  replace(process: Process): void {
    for (const [page, rows] of this.#pages) {
      const nth = rows.findIndex(({ id }) => id === process.id)
      if (nth < 0) continue
      this.#pages.set(page, rows.with(nth, process))
      this.#tell({})
      return
    }
  }

  #isFar(page: number): boolean {
    const [first, last] = this.#wanted
    return page < first - PAGES_AROUND || page > last + PAGES_AROUND
  }

  #missing(): number | undefined {
    const [first, last] = this.#wanted
    const end = this.state.end
    const farthest = end === undefined ? last : Math.min(last, getPage(Math.max(0, end - 1)))
    for (let page = first; page <= farthest; page++) if (!this.#pages.has(page)) return page
    return undefined
  }

  /** Reads one page after another until the wanted rows are there. */
  async #readOn(): Promise<void> {
    if (this.#reading || this.state.failure !== undefined) return
    for (let page = this.#missing(); page !== undefined; page = this.#missing()) {
      const next = this.#nextFor(page)
      const stop = new AbortController()
      this.#reading = { page, stop }
      try {
        if (next.by === 'skip' && !(await this.#isSettled(stop.signal))) continue
        this.#keep(next.page, await this.#read(this.#getStart(next), stop.signal))
      } catch (error) {
        if (stop.signal.aborted) continue
        this.#fail(error)
        return
      } finally {
        this.#reading = undefined
      }
    }
  }

  async #pageFor(wanted: number): Promise<readonly Process[]> {
    for (;;) {
      const held = this.#pages.get(wanted)
      if (held) return held
      const next = this.#nextFor(wanted)
      const page = await this.#read(this.#getStart(next), new AbortController().signal)
      this.#keep(next.page, page)
      if (next.page === wanted) return page.rows
    }
  }

  #nextFor(page: number) {
    return nextRead(page, { hasCursor: each => this.#cursors.has(each), isHeld: each => this.#pages.has(each) })
  }

  #getStart({ page, by }: ReturnType<typeof nextRead>): PageStart {
    return by === 'cursor' ? { cursor: this.#cursors.get(page) } : { skip: page * PAGE_ROWS }
  }

  async #isSettled(signal: AbortSignal): Promise<boolean> {
    while (Date.now() - this.#movedAt < SETTLE_MS) {
      await settled()
      if (signal.aborted) return false
    }
    return true
  }

  #keep(page: number, { rows, next }: LoadedPage): void {
    this.#pages.set(page, rows)
    if (next !== null) this.#cursors.set(page + 1, next)
    for (const each of pagesToDrop([...this.#pages.keys()], ...this.#wanted, this.#focused)) this.#pages.delete(each)
    const start = page * PAGE_ROWS
    const { readTo } = this.state
    this.#tell({
      // A page that was skipped to beyond the end is empty: the list ends before it.
      ...(next === null ? { end: start + rows.length } : {}),
      ...(start <= readTo && start + rows.length > readTo ? { readTo: start + rows.length } : {}),
    })
  }

  #fail(error: unknown): void {
    if (isTooDeep(error)) this.#tell({ canSkip: false })
    else this.#tell({ failure: error })
  }

  #tell(change: Partial<ListState>): void {
    this.state = { ...this.state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

/** The most rows that a list of the API returns (`LIST_LIMIT_MAX`). */
export const PAGE_ROWS = 100
/** So many pages are read one after another by cursor; a longer distance is skipped. */
const CHAIN_PAGES_MAX = 5
/** Held at once: 3,000 rows. What is dropped is read again by its cursor. */
const HELD_PAGES_MAX = 30
/** Drawn after the last row that was read, where nobody knows how many there are: they say that there are more. */
const UNKNOWN_ROWS = 20

const getPage = (row: number): number => Math.floor(row / PAGE_ROWS)

/** The way to read a page: from the end of the page before it, or by skipping all rows before it. */
type NextRead = { page: number; by: 'cursor' } | { page: number; by: 'skip' }

interface PageLookUp {
  /** Returns whether the start of a page is known; that of page 0 always is. */
  hasCursor: (page: number) => boolean
  isHeld: (page: number) => boolean
}

/**
 * Returns the read that leads to a page. A cursor costs the same anywhere in the list, and `skip` in proportion to the
 * skipped rows: a reader who scrolls upwards after a jump gets some pages by each skip.
 */
export function nextRead(wanted: number, { hasCursor, isHeld }: PageLookUp): NextRead {
  const nearest = Math.max(0, wanted - CHAIN_PAGES_MAX + 1)
  for (let page = wanted; page >= nearest; page--) if (hasCursor(page)) return { page, by: 'cursor' }
  return { page: isHeld(wanted + 1) ? nearest : wanted, by: 'skip' }
}

/** Returns the pages to drop: those farthest from the viewport, but not the one of the focus. */
export function pagesToDrop(held: readonly number[], first: number, last: number, focused?: number): number[] {
  const distance = (page: number) => (page === focused ? 0 : Math.max(first - page, page - last, 0))
  return [...held].sort((one, other) => distance(one) - distance(other)).slice(HELD_PAGES_MAX)
}

interface LengthKnowledge {
  /** Exactly, once the last page was read. */
  end: number | undefined
  /** The counted matches; undefined while they are unknown, and for a search by words. */
  count: number | undefined
  /** The rows up to the end of the farthest page that was read without a gap before it. */
  readTo: number
  /** False where rows of this order cannot be skipped: then they are reached one page after another. */
  canSkip: boolean
}

/** Estimates the number of rows for which the table has space. */
export function estimateLength({ end, count, readTo, canSkip }: LengthKnowledge): number {
  if (end !== undefined) return end
  // Others may have made some since they were counted.
  if (canSkip && count !== undefined && count > readTo) return count
  return readTo + UNKNOWN_ROWS
}
