import { jsonResponse } from '../http/response/envelope.ts'
import { changeAddress, linkToNext } from '../http/response/next-page.ts'
import { route } from '../http/route.ts'
import { getRequest, listRequests, requireOperation } from './operations.ts'
import { RequestPath, RequestsQuery } from './schema.ts'
import { viewRequest } from './view.ts'

/** Takes the ids of all operations, of which only the list of all routes knows. */
export const requestRoutes = (listOperations: () => string[]) => [
  route({
    id: 'listRequests',
    method: 'get',
    path: '/v1/ext/request',
    summary: 'List requests',
    permission: 'key:read',
    query: RequestsQuery,
    perform: ({ scope, query }) => {
      requireOperation(query, listOperations)
      return listRequests(scope, query)
    },
    respond: ({ lines, next }, { c }) =>
      jsonResponse(200, lines.map(viewRequest), {
        meta: { hasMore: next !== null, next },
        headers: linkToNext(c, next === null ? null : changeAddress(c, { cursor: next })),
      }),
  }),
  route({
    id: 'getRequest',
    method: 'get',
    path: '/v1/ext/request/:requestId',
    summary: 'Fetch a request',
    permission: 'key:read',
    params: RequestPath,
    perform: ({ scope, params }) => getRequest(scope, params.requestId),
    respond: line => jsonResponse(200, viewRequest(line)),
  }),
]
