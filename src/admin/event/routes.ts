import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frameRoute } from '../shell/frame-route.tsx'

export const eventRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/event',
    validateSearch: ({ type, before, opened }: Record<string, unknown>) => ({
      ...(typeof type === 'string' ? { type } : {}),
      ...(typeof before === 'number' && before > 0 ? { before } : {}),
      // The number of the event that is shown by itself.
      ...(typeof opened === 'number' && opened > 0 ? { opened } : {}),
    }),
    component: lazyRouteComponent(() => import('./log-page.tsx'), 'EventLogPage'),
  }),
] as const
