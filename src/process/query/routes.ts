import { route } from '../../http/route.ts'
import { ProcedurePath } from '../../procedure/schema.ts'
import { CURSOR_IN_QUERY, IN_BODY, IN_QUERY } from './list.ts'
import { respondList } from './output/respond.ts'
import { ListCursorQuery, ListQuery, ListRequestBody } from './schema.ts'

export const listRoutes = [
  route({
    id: 'listProcesses',
    method: 'post',
    path: '/v1/ext/procedure/:procedureShortId/process/list',
    summary: 'Search processes',
    permission: 'process:read',
    params: ProcedurePath,
    query: ListCursorQuery,
    body: ListRequestBody,
    onlyReads: true,
    perform: ({ c, scope, params, query: { cursor, ...output }, body }) =>
      cursor === undefined
        ? respondList(c, scope, params.procedureShortId, { request: body, output, pointers: IN_BODY })
        : respondList(c, scope, params.procedureShortId, {
            request: { ...body, skip: 0, cursor },
            output,
            pointers: CURSOR_IN_QUERY,
          }),
    respond: response => response,
  }),
  route({
    id: 'listNewestProcesses',
    method: 'get',
    path: '/v1/ext/procedure/:procedureShortId/process',
    summary: 'List processes',
    permission: 'process:read',
    params: ProcedurePath,
    query: ListQuery,
    unknownParameterHint: 'to filter by attributes, send a `where` to POST …/list',
    perform: ({ c, scope, params, query: { skip, limit, cursor, format, all, checkpoints, fields, ...where } }) =>
      respondList(c, scope, params.procedureShortId, {
        request: { where, skip, limit, cursor },
        output: { format, all, checkpoints, fields },
        pointers: IN_QUERY,
      }),
    respond: response => response,
  }),
]
