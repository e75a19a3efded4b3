import { useEffect, useState } from 'react'
import { mergeNewestFirst, type TimelineItem } from './merge.ts'

/** The members of `useInfiniteQuery` for a list that is read page by page. */
interface PagedQuery {
  isSuccess: boolean
  isFetching: boolean
  error: unknown
  hasNextPage: boolean
  fetchNextPage: () => unknown
  refetch: () => unknown
}

export interface TimelineSource<Item> {
  query: PagedQuery
  /** The items that were read, newest first. */
  items: readonly Item[]
  getTime: (item: Item) => number
}

export interface ReadTimeline<Item> {
  rows: TimelineItem<Item>[]
  isReading: boolean
  error: unknown
  onRetry: () => void
  hasOlder: boolean
  onOlder: () => void
}

const ROWS = 20

/** Lists merged into one, newest first. Each is read on only as far as it takes to know what comes next. */
export function useTimeline<Item>(sources: readonly TimelineSource<Item>[]): ReadTimeline<Item> {
  const [wanted, setWanted] = useState(ROWS)
  const strands = sources.map(({ query, items, getTime }) => ({
    items,
    getTime,
    hasMore: !query.isSuccess || query.hasNextPage,
  }))
  const { placed, needs } = mergeNewestFirst(strands)
  const missing = placed.length < wanted && needs !== undefined ? sources[needs]?.query : undefined
  const failed = sources.find(({ query }) => query.error)?.query
  const isReading = failed === undefined && missing !== undefined
  useEffect(() => {
    if (isReading && missing.isSuccess && !missing.isFetching) void missing.fetchNextPage()
  })
  return {
    rows: placed.slice(0, wanted),
    isReading,
    error: failed?.error,
    onRetry: () => void failed?.refetch(),
    hasOlder: placed.length > wanted || needs !== undefined,
    onOlder: () => setWanted(now => now + ROWS),
  }
}
