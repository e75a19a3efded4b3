/** What was read of a list, newest first, and whether there is more of it. */
export interface PartialList<Item> {
  items: readonly Item[]
  hasMore: boolean
  getTime: (item: Item) => number
}

export interface TimelineItem<Item> {
  item: Item
  /** Its time; where the list has it after an older one, that one's. */
  at: number
}

export interface MergedTimeline<Item> {
  placed: TimelineItem<Item>[]
  /** The list of which a page must be read before more is known; undefined: nothing is missing. */
  needs: number | undefined
}

/**
 * One list of several, newest first. It ends where a list that has more may have what is newer than all that is left, so
 * each page that is read only adds to its end. Of the same time, the list that is named first goes first.
 */
export function mergeNewestFirst<Item>(strands: readonly PartialList<Item>[]): MergedTimeline<Item> {
  const placed: TimelineItem<Item>[] = []
  const taken = strands.map(() => 0)
  // What a list has further on is not newer than what it had before.
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
