import { readBudgetLimits } from '../auth/budget/settings.ts'
import { jsonResponse } from '../http/response/envelope.ts'
import { route } from '../http/route.ts'
import { getUsage } from './operations.ts'
import { UsageQuery } from './schema.ts'

export const usageRoutes = [
  route({
    id: 'getUsage',
    method: 'get',
    path: '/v1/ext/usage',
    summary: 'Fetch the usage of a month',
    permission: 'key:read',
    query: UsageQuery,
    perform: ({ c, scope, query }) =>
      getUsage(scope, query.month, {
        callsPerMinute: c.env.CALLS_PER_MINUTE,
        databaseMsPerSecond: readBudgetLimits(c.env).msPerSecond,
      }),
    respond: usage => jsonResponse(200, usage),
  }),
]
