import { createRouter } from '@tanstack/react-router'
import { apiKeyRoutes } from './api-key/routes.ts'
import { backgroundJobRoutes } from './background-job/routes.ts'
import { customerRoutes } from './customer/routes.ts'
import { eventRoutes } from './event/routes.ts'
import { messageRoutes } from './message/routes.ts'
import { overviewRoutes } from './overview/routes.ts'
import { Loading } from './parts/states.tsx'
import { pluginRoutes } from './plugin/routes.ts'
import { definitionRoutes } from './procedure/routes.ts'
import { oneProcessRoutes } from './process/one/routes.ts'
import { processListRoutes } from './process/routes.ts'
import { requestRoutes } from './request/routes.ts'
import { sessionRoutes, signInRoutes } from './session/routes.ts'
import { frameRoute, unknownRoute } from './shell/frame-route.tsx'
import { rootRoute } from './shell/root-route.tsx'
import { usageRoutes } from './usage/routes.ts'
import { userRoutes } from './user/routes.ts'
import { webhookRoutes } from './webhook/routes.ts'

const tree = rootRoute.addChildren([
  ...signInRoutes,
  frameRoute.addChildren([
    ...overviewRoutes,
    ...processListRoutes,
    ...oneProcessRoutes,
    ...definitionRoutes,
    ...customerRoutes,
    ...messageRoutes,
    ...backgroundJobRoutes,
    ...pluginRoutes,
    ...apiKeyRoutes,
    ...eventRoutes,
    ...webhookRoutes,
    ...userRoutes,
    ...sessionRoutes,
    ...requestRoutes,
    ...usageRoutes,
    unknownRoute,
  ]),
])

/** Every address there is. Each page is a chunk of its own, loaded when its link is pointed at. */
export const router = createRouter({
  routeTree: tree,
  basepath: '/admin',
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
