import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readOneSearch } from '../parts/table/only-one.tsx'
import { frameRoute } from '../shell/frame-route.tsx'

export const apiKeyRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/api-key',
    validateSearch: readOneSearch,
    component: lazyRouteComponent(() => import('./list-page.tsx'), 'ApiKeysPage'),
  }),
] as const
