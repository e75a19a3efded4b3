import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frameRoute } from '../shell/frame-route.tsx'

export const usageRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/usage',
    validateSearch: ({ month }: Record<string, unknown>) =>
      typeof month === 'string' && /^\d{4}-\d\d$/.test(month) ? { month } : {},
    component: lazyRouteComponent(() => import('./usage-page.tsx'), 'UsagePage'),
  }),
] as const
