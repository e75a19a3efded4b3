import { read } from '../api/read.ts'
import { CHART_DAYS, CHART_STALE_MS, DAY_MS, dayOf, timeZone } from './days.ts'

/** Messages to customers by status and day. Asked for by the day, so that all who need it share one answer. */
export const messageCountsQuery = (now: number) => ({
  ...read('countMessages', {
    query: {
      groupBy: 'status',
      by: 'day',
      timeZone,
      direction: 'OUTBOUND',
      from: Date.parse(dayOf(now)) - CHART_DAYS * DAY_MS,
    },
  }),
  staleTime: CHART_STALE_MS,
})
