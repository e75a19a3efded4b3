import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frameRoute } from '../shell/frame-route.tsx'

export const pluginRoutes = [
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/plugin',
    component: lazyRouteComponent(() => import('./list-page.tsx'), 'PluginsPage'),
  }),
  createRoute({
    getParentRoute: () => frameRoute,
    path: '/plugin/$pluginId',
    validateSearch: ({ template }: Record<string, unknown>): { template?: string } =>
      typeof template === 'string' ? { template } : {},
    component: lazyRouteComponent(() => import('./plugin-page.tsx'), 'PluginPage'),
  }),
] as const
