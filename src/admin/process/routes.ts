import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frameRoute } from '../shell/frame-route.tsx'
import { readListSearch } from './list/list-search.ts'
import { readSendSearch } from './send/send-search.ts'

export const processListRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/process',
    component: lazyRouteComponent(() => import('./first-page.tsx'), 'FirstProcedurePage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/process',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./list/list-page.tsx'), 'ProcessesPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/board',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('./board/board-page.tsx'), 'BoardPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/send',
    validateSearch: readSendSearch,
    component: lazyRouteComponent(() => import('./send/send-page.tsx'), 'SendPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/procedure/$procedureShortId/trash',
    component: lazyRouteComponent(() => import('./trash-page.tsx'), 'TrashPage'),
  }),
] as const
