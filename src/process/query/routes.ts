import { jsonResponse } from '../../http/response/envelope.ts'
import { addressWith, linkToNext } from '../../http/response/next-page.ts'
import { metaOfWarnings } from '../../http/response/warnings.ts'
import { type Call, route } from '../../http/route.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { ProcedurePath } from '../../procedure/schema.ts'
import type { Scope } from '../../scope.ts'
import { viewListed } from '../view.ts'
import { listNewestProcessesDocs, listProcessesDocs } from './docs.ts'
import { CURSOR_IN_QUERY, IN_QUERY, type ListRequest, listProcesses, type ProcessPage } from './list.ts'
import { ListCursorQuery, ListQuery, ListRequestBody } from './schema.ts'

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

type Responding = Pick<Call<unknown, unknown, unknown>, 'c' | 'scope'>

const respondPage = ({ page, procedure }: ListedProcesses, { c, scope: { team } }: Responding) =>
  jsonResponse(200, `[${page.rows.map(viewListed({ team, procedure })).join(',')}]`, {
    meta: { hasMore: page.hasMore, next: page.next, ...metaOfWarnings(page.warnings) },
    headers: linkToNext(c, page.next && addressWith(c, { cursor: page.next, skip: null })),
  })

export const listRoutes = [
  route({
    method: 'post',
    path: '/v1/ext/procedure/:procedureShortId/process/list',
    summary: 'Search processes',
    docs: listProcessesDocs,
    permission: 'process:read',
    params: ProcedurePath,
    query: ListCursorQuery,
    body: ListRequestBody,
    onlyReads: true,
    perform: ({ scope, params, query: { cursor }, body }) =>
      cursor === undefined
        ? listPage(scope, params.procedureShortId, body)
        : listPage(scope, params.procedureShortId, { ...body, skip: 0, cursor }, CURSOR_IN_QUERY),
    respond: respondPage,
  }),
  route({
    method: 'get',
    path: '/v1/ext/procedure/:procedureShortId/process',
    summary: 'List processes',
    docs: listNewestProcessesDocs,
    permission: 'process:read',
    params: ProcedurePath,
    query: ListQuery,
    unknownParameterHint: 'to filter by attributes, send a `where` to POST …/list',
    perform: ({ scope, params, query: { skip, limit, cursor, ...where } }) =>
      listPage(
        scope,
        params.procedureShortId,
        { where, skip, limit, ...(cursor === undefined ? {} : { cursor }) },
        IN_QUERY,
      ),
    respond: respondPage,
  }),
]
