/** The part of a list that was read, newest first, and whether there is more. */
export interface PartialList<Item> {
  items: readonly Item[]
  hasMore: boolean
  getTime: (item: Item) => number
}

export interface TimelineItem<Item> {
  item: Item
  /** The time of the item, or that of the item before it in its list if that is older. */
  at: number
}

export interface MergedTimeline<Item> {
  placed: TimelineItem<Item>[]
  /** The list of which a page must be read before more is known; undefined: nothing is missing. */
  needs: number | undefined
}

/**
 * Merges lists into one, newest first. It ends where a list that has more may have items newer than the rest, so each
 * page that is read only adds to its end. Items of the same time keep the order of the lists.
 */
export function mergeNewestFirst<Item>(strands: readonly PartialList<Item>[]): MergedTimeline<Item> {
  const placed: TimelineItem<Item>[] = []
  const taken = strands.map(() => 0)
  // Items further down a list count as no newer than those before them.
  const bounds = strands.map(() => Number.POSITIVE_INFINITY)
  for (;;) {
    let next: { nth: number; at: number; item: Item | undefined } | undefined
    for (const [nth, { items, hasMore, getTime }] of strands.entries()) {
      const item = items[taken[nth] ?? 0]
      if (item === undefined && !hasMore) continue
      const bound = bounds[nth] ?? Number.POSITIVE_INFINITY
      const at = item === undefined ? bound : Math.min(bound, getTime(item))
      if (next === undefined || at > next.at) next = { nth, at, item }
    }
    if (next === undefined) return { placed, needs: undefined }
    if (next.item === undefined) return { placed, needs: next.nth }
    placed.push({ item: next.item, at: next.at })
    taken[next.nth] = (taken[next.nth] ?? 0) + 1
    bounds[next.nth] = next.at
  }
}
