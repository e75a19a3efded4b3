import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frameRoute } from '../shell/frame-route.tsx'
import { readRequestSearch } from './request-search.ts'

export const requestRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/request',
    validateSearch: readRequestSearch,
    component: lazyRouteComponent(() => import('./list-page.tsx'), 'RequestsPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/request/$requestId',
    component: lazyRouteComponent(() => import('./request-page.tsx'), 'RequestPage'),
  }),
] as const
