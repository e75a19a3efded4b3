import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frameRoute } from '../shell/frame-route.tsx'

export const webhookRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/webhook',
    component: lazyRouteComponent(() => import('./list-page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/webhook/$webhookId',
    validateSearch: ({ failed, event }: Record<string, unknown>) => ({
      ...(failed === true ? { failed: true } : {}),
      // The id of the event whose deliveries alone are shown.
      ...(typeof event === 'string' && event !== '' ? { event } : {}),
    }),
    component: lazyRouteComponent(() => import('./webhook-page.tsx'), 'WebhookPage'),
  }),
] as const
