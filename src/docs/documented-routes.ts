import { apiKeyDocs } from '../api-key/docs.ts'
import { routes } from '../app.ts'
import { describeJobs } from '../background-job/docs.ts'
import { configDocs } from '../config/docs.ts'
import { customerDocs } from '../customer/docs.ts'
import { feedDocs } from '../feed/docs.ts'
import { healthDocs } from '../health/docs.ts'
import type { DocumentedRoute, RouteDocs } from '../http/openapi/route-docs.ts'
import { SCHEDULED_TYPES } from '../kinds.ts'
import { callerDocs } from '../me/docs.ts'
import { bulkMessageDocs } from '../message/bulk/docs.ts'
import { messageCountDocs } from '../message/count/docs.ts'
import { messageDocs } from '../message/docs.ts'
import { optOutDocs } from '../message/opt-out/docs.ts'
import { providerReportDocs } from '../message/provider-report/docs.ts'
import { receivedDocs } from '../message/received/docs.ts'
import { pluginDocs } from '../plugin/docs.ts'
import { procedureDocs } from '../procedure/docs.ts'
import { bulkProcessDocs } from '../process/bulk/docs.ts'
import { processDocs } from '../process/docs.ts'
import { historyDocs } from '../process/history/docs.ts'
import { aggregateDocs } from '../process/query/aggregate/docs.ts'
import { listDocs } from '../process/query/docs.ts'
import { trashDocs } from '../process/trash/docs.ts'
import { requestDocs } from '../request-log/docs.ts'
import { savedViewDocs } from '../saved-view/docs.ts'
import { sessionDocs } from '../session/docs.ts'
import { openIdDocs } from '../session/openid/docs.ts'
import { passkeyDocs } from '../session/passkey/docs.ts'
import { usageDocs } from '../usage/docs.ts'
import { userDocs } from '../user/docs.ts'
import { deliveryDocs } from '../webhook/deliveries/docs.ts'
import { webhookDocs } from '../webhook/docs.ts'

/** The texts of every operation. The compiler asks for one that is missing, and `test/docs` for the route of each. */
export const ROUTE_DOCS: Record<(typeof routes)[number]['id'], RouteDocs> = {
  ...describeJobs(SCHEDULED_TYPES),
  ...aggregateDocs,
  ...apiKeyDocs,
  ...bulkMessageDocs,
  ...bulkProcessDocs,
  ...callerDocs,
  ...configDocs,
  ...customerDocs,
  ...deliveryDocs,
  ...feedDocs,
  ...healthDocs,
  ...historyDocs,
  ...listDocs,
  ...messageCountDocs,
  ...messageDocs,
  ...openIdDocs,
  ...optOutDocs,
  ...passkeyDocs,
  ...pluginDocs,
  ...procedureDocs,
  ...processDocs,
  ...providerReportDocs,
  ...receivedDocs,
  ...requestDocs,
  ...savedViewDocs,
  ...sessionDocs,
  ...trashDocs,
  ...usageDocs,
  ...userDocs,
  ...webhookDocs,
}

/** The routes with their texts, for the documentation and the client. The Worker has the routes alone. */
export const documentedRoutes: readonly DocumentedRoute[] = routes.map(each => ({ ...each, docs: ROUTE_DOCS[each.id] }))
