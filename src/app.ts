import { Hono } from 'hono'
import { authenticate } from './auth/middleware.ts'
import { authRoutes } from './auth/routes.ts'
import { configRoutes } from './config/routes.ts'
import { mountPages, pagesAbout } from './docs/pages.ts'
import { healthRoutes } from './health.ts'
import type { AppEnv } from './http/context.ts'
import { onError } from './http/failure.ts'
import { crossOrigin, guarded } from './http/headers.ts'
import { mount, unknownRoute } from './http/mount.ts'
import { observe } from './http/observe.ts'
import type { Route } from './http/route.ts'
import { procedureRoutes } from './procedure/routes.ts'
import { listRoutes } from './process/list-routes.ts'
import { processRoutes } from './process/routes.ts'
import { userRoutes } from './user/routes.ts'

/** Every route there is. Tests, documentation and the mounted app are made from this one list. */
export const routes: readonly Route[] = [
  ...healthRoutes,
  ...configRoutes,
  ...procedureRoutes,
  ...listRoutes,
  ...processRoutes,
  ...userRoutes,
  ...authRoutes,
]

const pages = pagesAbout(routes)

export const app = new Hono<AppEnv>()
app.onError(onError)
app.use(observe)
app.use(guarded, crossOrigin)
mount(app, routes, authenticate)
mountPages(app, pages)
app.notFound(c => unknownRoute([...routes, ...pages])(c, async () => {}) as Promise<Response>)
