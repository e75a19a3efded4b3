import { requireOperator } from '../auth/operator/middleware.ts'
import { jsonResponse } from '../http/response/envelope.ts'
import { route } from '../http/route.ts'
import { getDeepHealth } from './operations.ts'
import { type Health, HealthQuery } from './schema.ts'
import { VERSION } from './version.ts'

export const healthRoutes = [
  route({
    id: 'getHealth',
    method: 'get',
    path: '/v1/health',
    summary: 'Check the health',
    permission: null,
    operatorOnRequest: true,
    query: HealthQuery,
    perform: async ({ c, query }): Promise<Health> => {
      if (query.deep !== 'true') return { status: 'ok', version: VERSION }
      await requireOperator(c)
      return getDeepHealth(c.env)
    },
    respond: health => jsonResponse(health.status === 'ok' ? 200 : 503, health),
  }),
]
