export interface Page<Item> {
  items: Item[]
  hasMore: boolean
}

/** A list that is fetched lazily: `for await` goes through all pages. */
export interface Pages<Item> extends AsyncIterable<Item> {
  /** The first page alone. */
  page: () => Promise<Page<Item>>
  /** Iterates over the pages. */
  pages: () => AsyncGenerator<Page<Item>, void, undefined>
  /** Loads all items into an array. */
  all: () => Promise<Item[]>
}

export interface Paging {
  /** The total number of items. The default is all. */
  limit?: number | undefined
  /** The number of items per request: 1 to 100, default 100. */
  pageSize?: number | undefined
}

/** The result of a list operation: one page, and the position of the next one; null at the end. */
interface ListResult<Item> {
  data: Item[]
  meta: { next: string | null }
}

/** The most that a list of the API returns (`LIST_LIMIT_MAX`). */
export const PAGE_SIZE = 100

export function paginate<Item>(
  { limit = Number.POSITIVE_INFINITY, pageSize = PAGE_SIZE }: Paging,
  fetchPage: (size: number, position: string | undefined) => Promise<ListResult<Item>>,
): Pages<Item> {
  async function* pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let left = limit
    let position: string | undefined
    while (left > 0) {
      const { data, meta } = await fetchPage(Math.min(pageSize, left), position)
      left -= data.length
      position = meta.next ?? undefined
      yield { items: data, hasMore: position !== undefined }
      if (position === undefined) return
    }
  }
  async function* items(): AsyncGenerator<Item, void, undefined> {
    for await (const page of pages()) yield* page.items
  }
  return {
    pages,
    page: async () => (await pages().next()).value ?? { items: [], hasMore: false },
    async all() {
      const found: Item[] = []
      for await (const item of items()) found.push(item)
      return found
    },
    [Symbol.asyncIterator]: items,
  }
}

/** A parameter of the path of the next page. */
export const getParameter = (next: string | null, name: string): string | null =>
  next === null ? null : new URLSearchParams(next.slice(next.indexOf('?') + 1)).get(name)
