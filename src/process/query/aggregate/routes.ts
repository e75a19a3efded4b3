import { jsonResponse } from '../../../http/response/envelope.ts'
import { toWarningsMeta } from '../../../http/response/warnings.ts'
import { route } from '../../../http/route.ts'
import { withProcedure } from '../../../procedure/definition-cache.ts'
import { ProcedurePath } from '../../../procedure/schema.ts'
import type { Scope } from '../../../scope.ts'
import { type Aggregate, type AggregateRequest, aggregateProcesses } from './aggregate.ts'
import { AggregateRequestBody, CountQuery } from './schema.ts'

const aggregate = (scope: Scope, shortId: string, request: AggregateRequest, pointer?: string): Promise<Aggregate> =>
  withProcedure(scope, shortId, procedure => aggregateProcesses(scope, procedure, request, pointer))

const toMeta = ({ next, warnings }: Aggregate) => ({ isComplete: next === null, next, ...toWarningsMeta(warnings) })

export const aggregateRoutes = [
  route({
    id: 'aggregateProcesses',
    method: 'post',
    path: '/v1/ext/procedure/:procedureShortId/process/aggregate',
    summary: 'Count and sum processes',
    permission: 'process:read',
    params: ProcedurePath,
    body: AggregateRequestBody,
    onlyReads: true,
    perform: ({ scope, params, body: { where, ...request } }) =>
      aggregate(scope, params.procedureShortId, { ...request, filters: [{ where, pointer: '/body/where' }] }),
    respond: found => jsonResponse(200, found.groups, { meta: { ...toMeta(found), groups: found.found } }),
  }),
  route({
    id: 'countProcesses',
    method: 'get',
    path: '/v1/ext/procedure/:procedureShortId/process/count',
    summary: 'Count processes',
    permission: 'process:read',
    params: ProcedurePath,
    query: CountQuery,
    unknownParameterHint: 'to filter by attributes, send a query as `where`',
    perform: ({ scope, params, query: { where, cursor, ...fields } }) => {
      const filters = [
        { where: fields, pointer: '/query' },
        ...(where === undefined ? [] : [{ where, pointer: '/query/where' }]),
      ]
      return aggregate(scope, params.procedureShortId, { filters, groupBy: [], limit: 1, cursor }, '/query/cursor')
    },
    respond: found => jsonResponse(200, { count: found.groups[0]?.count ?? 0 }, { meta: toMeta(found) }),
  }),
]
