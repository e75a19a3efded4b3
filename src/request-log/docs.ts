import * as z from 'zod'
import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { HAS_MORE, NEXT_CURSOR } from '../http/request/paging.ts'
import { LoggedRequest } from './schema.ts'

const tag = 'Requests and usage'

const EXAMPLE: LoggedRequest = {
  id: '01935c1e-5a00-7012-8a9b-7c8d9eafb0c1',
  createdAt: 1732417903104,
  method: 'POST',
  operation: 'createProcess',
  path: '/v1/ext/procedure/lead/process',
  status: 409,
  code: 'duplicate_primary_key',
  faults: [{ path: '/body/data/lead_id', message: 'another process has the primary key *' }],
  apiKey: '01935c1e-5a00-7002-a1b2-c3d4e5f60718',
  session: null,
  user: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
  address: '203.0.113.7',
  ms: 31,
  database: { trips: 2, rowsRead: 6, rowsWritten: 0, ms: 0.4 },
}

const KEPT =
  'Kept are requests that changed something or failed, and a share of the others that an API key made, for 7 days (settings of the installation). The IP address is kept with them, and nothing of what was sent or answered but which fields were wrong, and no values. A request appears some seconds after its response; if an isolate of Cloudflare ends, what it has collected in the last seconds is lost.'

export const requestDocs = {
  listRequests: {
    tag,
    queryExample: { failed: 'true' },
    description: `Newest first. ${KEPT} A page may have fewer than \`limit\`, or none, and a next one.`,
    responses: {
      200: {
        description: 'One page of requests.',
        data: z.array(LoggedRequest),
        meta: { hasMore: HAS_MORE, next: NEXT_CURSOR },
        headers: ['Link'],
        example: { data: [EXAMPLE], meta: { hasMore: false, next: null } },
      },
    },
  },
  getRequest: {
    tag,
    description: `By \`x-request-id\`, which is \`_meta.requestId\`, too. ${KEPT}`,
    responses: { 200: { description: 'The request.', data: LoggedRequest, example: { data: EXAMPLE } } },
    errors: ['not_found'],
  },
} satisfies Record<string, RouteDocs>
