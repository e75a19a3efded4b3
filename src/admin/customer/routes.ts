import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textIn } from '../api/address.ts'
import { type ShownKind, shownKindIn } from '../parts/timeline/shown.ts'
import { frameRoute } from '../shell/frame-route.tsx'

const CUSTOMER_TABS = ['processes', 'messages', 'json'] as const

interface CustomerSearch {
  /** Undefined: the timeline. */
  tab?: (typeof CUSTOMER_TABS)[number]
  /** What of the timeline is shown; undefined: all. */
  show?: ShownKind
}

export const customerRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/customer',
    validateSearch: ({ find }: Record<string, unknown>): { find?: string } => {
      const known = textIn(find)
      return known === undefined ? {} : { find: known }
    },
    component: lazyRouteComponent(() => import('./list-page.tsx'), 'CustomersPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/customer/$recordId',
    validateSearch: ({ tab, show }: Record<string, unknown>): CustomerSearch => {
      const [shown, kind] = [CUSTOMER_TABS.find(each => each === tab), shownKindIn(show)]
      return { ...(shown && { tab: shown }), ...(kind && { show: kind }) }
    },
    component: lazyRouteComponent(() => import('./customer-page.tsx'), 'CustomerPage'),
  }),
] as const
