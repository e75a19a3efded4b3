import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frameRoute } from '../shell/frame-route.tsx'

export const overviewRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/',
    validateSearch: ({ procedure }: Record<string, unknown>) => (typeof procedure === 'string' ? { procedure } : {}),
    component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
  }),
] as const
