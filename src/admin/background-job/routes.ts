import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf } from '../api/address.ts'
import { ENTRY_STATUSES } from '../parts/job/statuses.ts'
import { frameRoute } from '../shell/frame-route.tsx'
import { readJobSearch } from './list/job-search.ts'

interface EntriesSearch {
  entries?: (typeof ENTRY_STATUSES)[number]
  /** The key of a group of failures: only its entries. */
  why?: string
}

export const backgroundJobRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/background-job',
    validateSearch: readJobSearch,
    component: lazyRouteComponent(() => import('./list/list-page.tsx'), 'JobsPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/background-job/$jobId',
    validateSearch: ({ entries, why }: Record<string, unknown>): EntriesSearch => {
      const known = oneOf(ENTRY_STATUSES, entries)
      return known ? { entries: known, ...(typeof why === 'string' ? { why } : {}) } : {}
    },
    component: lazyRouteComponent(() => import('./job-page.tsx'), 'JobPage'),
  }),
] as const
