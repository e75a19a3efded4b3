import { jsonResponse } from '../../http/response/envelope.ts'
import { route } from '../../http/route.ts'
import { listOptOuts, removeOptOut } from './operations.ts'
import { type OptOut, OptOutPath, OptOutsQuery } from './schema.ts'
import type { OptOutRow } from './statements.ts'

const viewOptOut = ({ phone, since, message }: OptOutRow): OptOut => ({ phoneNumber: phone, since, message })

export const optOutRoutes = [
  route({
    id: 'listOptOuts',
    method: 'get',
    path: '/v1/ext/opt-out',
    summary: 'List opt-outs',
    permission: 'message:read',
    query: OptOutsQuery,
    perform: ({ scope, query }) => listOptOuts(scope, query),
    respond: ({ rows, next }) => jsonResponse(200, rows.map(viewOptOut), { meta: { hasMore: next !== null, next } }),
  }),
  route({
    id: 'removeOptOut',
    method: 'delete',
    path: '/v1/ext/opt-out/:phoneNumber',
    summary: 'Remove an opt-out',
    permission: 'message:send',
    params: OptOutPath,
    perform: ({ scope, params }) => removeOptOut(scope, params.phoneNumber),
    respond: row => jsonResponse(200, viewOptOut(row)),
  }),
]
