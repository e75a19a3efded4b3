import { Hono, type MiddlewareHandler } from 'hono'
import { apiKeyRoutes } from './api-key/routes.ts'
import { chargeTeam } from './auth/budget/middleware.ts'
import { authenticateWith } from './auth/middleware.ts'
import { forgetToken } from './auth/owner-cache.ts'
import { backgroundJobRoutes, jobCountRoutes, scheduleRoutes } from './background-job/routes.ts'
import { configRoutes } from './config/routes.ts'
import { customerRoutes } from './customer/routes.ts'
import { signalCommits } from './event/signal/middleware.ts'
import { feedRoutes } from './feed/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { mountAdmin } from './http/admin-page.ts'
import type { AppEnv } from './http/context.ts'
import { DOCUMENTS, mountDocumentation } from './http/documentation.ts'
import { requestLog } from './http/log-line.ts'
import { mount, refuseUnknownRoute } from './http/mount.ts'
import { drainUnreadBody } from './http/request/unread-body.ts'
import { onError } from './http/response/failure.ts'
import { responseHeaders } from './http/response/headers.ts'
import { SegmentRouter } from './http/segment-router.ts'
import { createEntryKinds } from './kinds.ts'
import { callerRoutes } from './me/routes.ts'
import { bulkMessageRoutes } from './message/bulk/routes.ts'
import { messageCountRoutes } from './message/count/routes.ts'
import { mediaRoutes } from './message/media/routes.ts'
import { optOutRoutes } from './message/opt-out/routes.ts'
import { providerReportRoutes } from './message/provider-report/routes.ts'
import { receivedRoutes } from './message/received/routes.ts'
import { messageRoutes } from './message/routes.ts'
import { pluginRoutes } from './plugin/routes.ts'
import { preloadProcedure, requireProcedure } from './procedure/definition-cache.ts'
import { procedureRoutes } from './procedure/routes.ts'
import { bulkProcessRoutes } from './process/bulk/routes.ts'
import { historyRoutes } from './process/history/routes.ts'
import { aggregateRoutes } from './process/query/aggregate/routes.ts'
import { listRoutes } from './process/query/routes.ts'
import { processRoutes } from './process/routes.ts'
import { trashRoutes } from './process/trash/routes.ts'
import { collectRequests } from './request-log/middleware.ts'
import { requestRoutes } from './request-log/routes.ts'
import { savedViewRoutes } from './saved-view/routes.ts'
import { openIdRoutes } from './session/openid/routes.ts'
import { passkeyRoutes } from './session/passkey/routes.ts'
import { sessionRoutes } from './session/routes.ts'
import { requireSettings } from './settings.ts'
import { mountOperator } from './team/routes.ts'
import { usageRoutes } from './usage/routes.ts'
import { requireUser } from './user/reference.ts'
import { userRoutes } from './user/routes.ts'
import { deliveryRoutes } from './webhook/deliveries/routes.ts'
import { webhookRoutes } from './webhook/routes.ts'

/** All routes. Tests, documentation and the mounted app are made from this one list. */
export const routes = [
  ...healthRoutes,
  ...configRoutes,
  ...procedureRoutes,
  ...listRoutes,
  ...aggregateRoutes,
  ...bulkProcessRoutes,
  ...scheduleRoutes(createEntryKinds),
  ...jobCountRoutes,
  ...bulkMessageRoutes,
  ...backgroundJobRoutes(createEntryKinds, { requireUser, requireProcedure }),
  ...historyRoutes,
  ...trashRoutes,
  ...processRoutes,
  ...customerRoutes,
  ...savedViewRoutes,
  ...pluginRoutes,
  ...messageCountRoutes,
  ...messageRoutes,
  ...receivedRoutes,
  ...optOutRoutes,
  ...mediaRoutes,
  ...providerReportRoutes,
  ...feedRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...requestRoutes(listOperations),
  ...usageRoutes,
  ...callerRoutes,
  ...userRoutes,
  ...sessionRoutes(forgetToken),
  ...openIdRoutes,
  ...passkeyRoutes,
  ...apiKeyRoutes,
]

function listOperations(): string[] {
  return routes.map(({ id }) => id)
}

const checkSettings: MiddlewareHandler<AppEnv> = (c, next) => {
  // The deep health check names wrong settings itself, among everything else that is wrong.
  if (c.req.path !== '/v1/health' || c.req.query('deep') !== 'true') requireSettings(c.env)
  return next()
}

export const app = new Hono<AppEnv>({ router: new SegmentRouter() })
app.onError(onError)
app.use(requestLog, collectRequests, chargeTeam, signalCommits, responseHeaders, drainUnreadBody, checkSettings)
mount(
  app,
  routes,
  authenticateWith((c, team) => preloadProcedure(c.req.param('procedureShortId'), team)),
)
mountDocumentation(app)
mountAdmin(app)
mountOperator(app)
// This is a handler, not `notFound`, so that its error becomes a response inside `responseHeaders`.
app.all('*', refuseUnknownRoute([...routes, ...DOCUMENTS]))
