import { jsonResponse } from '../../http/response/envelope.ts'
import { metaOfWarnings } from '../../http/response/warnings.ts'
import { route } from '../../http/route.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { ProcedurePath } from '../../procedure/schema.ts'
import type { Scope } from '../../scope.ts'
import { viewProcess } from '../view.ts'
import { listNewestProcessesDocs, listProcessesDocs } from './docs.ts'
import { IN_QUERY, type ListRequest, listProcesses, type ProcessPage } from './list.ts'
import { ListQuery, ListRequestBody } from './schema.ts'

interface ListedProcesses {
  page: ProcessPage
  procedure: { id: string; shortId: string }
}

const listPage = (
  scope: Scope,
  shortId: string,
  request: ListRequest,
  pointers?: typeof IN_QUERY,
): Promise<ListedProcesses> =>
  withProcedure(scope, shortId, async procedure => ({
    page: await listProcesses(scope, procedure, request, pointers),
    procedure: { id: procedure.id, shortId: procedure.shortId },
  }))

const respondPage = ({ page, procedure }: ListedProcesses, { team }: Scope) =>
  jsonResponse(
    200,
    page.rows.map(row => viewProcess({ team, procedure }, row)),
    { meta: { hasMore: page.hasMore, next: page.next, ...metaOfWarnings(page.warnings) } },
  )

export const listRoutes = [
  route({
    method: 'post',
    path: '/v1/ext/procedure/:procedureShortId/process/list',
    summary: 'Search processes',
    docs: listProcessesDocs,
    permission: 'process:read',
    params: ProcedurePath,
    body: ListRequestBody,
    onlyReads: true,
    perform: ({ scope, params, body }) => listPage(scope, params.procedureShortId, body),
    respond: (listed, { scope }) => respondPage(listed, scope),
  }),
  route({
    method: 'get',
    path: '/v1/ext/procedure/:procedureShortId/process',
    summary: 'List processes',
    docs: listNewestProcessesDocs,
    permission: 'process:read',
    params: ProcedurePath,
    query: ListQuery,
    perform: ({ scope, params, query: { skip, limit, cursor, ...where } }) =>
      listPage(
        scope,
        params.procedureShortId,
        { where, skip, limit, ...(cursor === undefined ? {} : { cursor }) },
        IN_QUERY,
      ),
    respond: (listed, { scope }) => respondPage(listed, scope),
  }),
]
