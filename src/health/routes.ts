import { jsonResponse } from '../http/response/envelope.ts'
import { route } from '../http/route.ts'
import { healthDocs } from './docs.ts'
import { examine } from './operations.ts'
import { type Health, HealthQuery } from './schema.ts'
import { VERSION } from './version.ts'

export const healthRoutes = [
  route({
    method: 'get',
    path: '/v1/health',
    summary: 'Check the health',
    docs: healthDocs,
    permission: null,
    permissionIfAsked: { query: 'deep', permission: 'operate' },
    query: HealthQuery,
    perform: async ({ c, query }): Promise<Health> =>
      query.deep === 'true' ? examine(c.env, Date.now()) : { status: 'ok', version: VERSION },
    respond: health => jsonResponse(health.status === 'ok' ? 200 : 503, health),
  }),
]
