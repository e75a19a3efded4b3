import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readOneSearch } from '../parts/table/only-one.tsx'
import { frameRoute } from '../shell/frame-route.tsx'

export const userRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/user',
    validateSearch: readOneSearch,
    component: lazyRouteComponent(() => import('./list-page.tsx'), 'UsersPage'),
  }),
] as const
