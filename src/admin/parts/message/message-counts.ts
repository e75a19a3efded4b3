import { queryOptions } from '@tanstack/react-query'
import { countMessages } from 'caseworker/messages'
import { call } from '../../api/client.ts'
import { CHART_DAYS, CHART_STALE_MS, lastDays, timeZone } from '../chart-days.ts'
import { getDayStart } from '../times.ts'

/**
 * Messages to customers by status and day, all pages of the count together: a response has those that there was time for, the
 * newest. From the beginning of a day, so that all who need it share one query.
 */
export function messageCountsQuery(now: number, plugin?: string) {
  const query = {
    groupBy: 'status',
    by: 'day',
    timeZone,
    direction: 'OUTBOUND',
    from: getDayStart(lastDays(now, CHART_DAYS)[0]),
    ...(plugin === undefined ? {} : { plugin }),
  } as const
  return queryOptions({
    queryKey: ['countMessages', query] as const,
    queryFn: ({ signal }) => countMessages(call, query, { signal }),
    staleTime: CHART_STALE_MS,
  })
}
