import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import type { TeamEvent } from 'caseworker'
import { useEffect, useMemo, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { useIsAttended } from '../shell/session/attended.ts'

/** The numbers of events that are read at a time, from newer ones to older ones. */
const NUMBERS = 100

export interface LogOptions {
  type: string | undefined
  /** The number of the newest event that is read at first. */
  newest: number
  oldest: number
  isLive: boolean
}

/** The feed goes from old to new. The log begins with the newest numbers and goes back, and what happens meanwhile is put before them. */
export function useLog({ type, newest, oldest, isLive }: LogOptions) {
  const queries = useQueryClient()
  const [arrived, setArrived] = useState<readonly TeamEvent[]>([])
  // Also when the feed's newest number is read again: what came since is in `arrived`.
  const [first] = useState(newest)
  const query = useInfiniteQuery({
    queryKey: ['listEvents', 'log', type, first],
    initialPageParam: first,
    queryFn: async ({ pageParam, signal }) => {
      const after = Math.max(oldest - 1, pageParam - NUMBERS)
      const page = await api.call(
        'listEvents',
        { query: { after, limit: NUMBERS, ...(type === undefined ? {} : { type }) } },
        { signal },
      )
      return { data: page.data.filter(({ sequence }) => sequence <= pageParam).reverse(), after }
    },
    getNextPageParam: ({ after }) => (after >= oldest ? after : undefined),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const isAttended = useIsAttended()
  const last = useRef(first)
  useEffect(() => {
    if (!isLive || !isAttended) return
    const left = new AbortController()
    const follow = async () => {
      const types = type === undefined ? {} : { types: [type as TeamEvent['type']] }
      for await (const event of api.events({ after: last.current, signal: left.signal, ...types })) {
        last.current = event.sequence
        setArrived(now => [event, ...now])
      }
    }
    // Left, or cut off: what is shown stays, and reading the page again goes on.
    follow().catch(() => {})
    return () => left.abort()
  }, [isLive, isAttended, type])
  useEffect(() => () => queries.removeQueries({ queryKey: ['listEvents', 'log'] }), [queries])
  const events = useMemo(
    () => [...arrived, ...(query.data?.pages.flatMap(({ data }) => data) ?? [])],
    [arrived, query.data],
  )
  return { ...query, events }
}
