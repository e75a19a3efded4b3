import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frameRoute } from '../shell/frame-route.tsx'
import { readMessageSearch } from './message-search.ts'

export const messageRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/message',
    validateSearch: readMessageSearch,
    component: lazyRouteComponent(() => import('./list-page.tsx'), 'MessagesPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/message/$messageId',
    component: lazyRouteComponent(() => import('./message-page.tsx'), 'MessagePage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/opt-out',
    component: lazyRouteComponent(() => import('./opt-out-page.tsx'), 'OptOutsPage'),
  }),
] as const
