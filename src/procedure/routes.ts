import type { Context } from 'hono'
import { jsonResponse } from '../http/response/envelope.ts'
import { isNotModified, readIfMatch } from '../http/response/etag.ts'
import { route } from '../http/route.ts'
import { formatProcedureEtag, type RequiredDefinition } from './definition-change/precondition.ts'
import { PutProcedureQuery } from './definition-change/schema.ts'
import { findFurtherFaults } from './definition-rules.ts'
import type { Procedure } from './model.ts'
import {
  type DryRunOutcome,
  dryRunProcedure,
  getProcedureNow,
  listProcedures,
  type PutOutcome,
  putProcedure,
} from './operations.ts'
import { ProcedureInput, ProcedurePath } from './schema.ts'
import { viewProcedure } from './view.ts'

const toLocationHeader = (shortId: string) => ({ location: `/v1/ext/procedure/${shortId}` })

/** Reads the first part of the tag: an index that was built meanwhile is nobody's change. A tag in another format matches nothing. */
function readRequiredDefinition(c: Context): RequiredDefinition {
  const tag = readIfMatch(c)
  if (tag === undefined) return c.req.header('if-match') === undefined ? undefined : '*'
  return Number(/^(\d{1,15})-\d+$/.exec(tag)?.[1] ?? -1)
}

const respondProcedure = (status: 200 | 201, procedure: Procedure, headers: Record<string, string> = {}) =>
  jsonResponse(status, viewProcedure(procedure), { headers: { ...headers, etag: formatProcedureEtag(procedure) } })

export const procedureRoutes = [
  route({
    id: 'listProcedures',
    method: 'get',
    path: '/v1/ext/procedure',
    summary: 'List procedures',
    etag: true,
    permission: 'config:read',
    perform: ({ scope }) => listProcedures(scope),
    respond: procedures => jsonResponse(200, procedures.map(viewProcedure)),
  }),
  route({
    id: 'getProcedure',
    method: 'get',
    path: '/v1/ext/procedure/:procedureShortId',
    summary: 'Fetch a procedure',
    permission: 'config:read',
    params: ProcedurePath,
    perform: ({ scope, params }) => getProcedureNow(scope, params.procedureShortId),
    respond: (procedure, { c }) =>
      isNotModified(c, formatProcedureEtag(procedure))
        ? jsonResponse(304, {}, { headers: { etag: formatProcedureEtag(procedure) } })
        : respondProcedure(200, procedure),
  }),
  route({
    id: 'putProcedure',
    method: 'put',
    path: '/v1/ext/procedure/:procedureShortId',
    summary: 'Create or replace a procedure',
    permission: 'config:write',
    takesIfMatch: true,
    params: ProcedurePath,
    query: PutProcedureQuery,
    body: ProcedureInput,
    validateFurther: async ({ params, body }) => findFurtherFaults(params.procedureShortId, body),
    perform: async ({ c, scope, params, query, body }): Promise<PutOutcome | DryRunOutcome> => {
      const put = { shortId: params.procedureShortId, body, required: readRequiredDefinition(c) }
      return query.dryRun === 'true' ? dryRunProcedure(scope, put) : putProcedure(scope, put)
    },
    respond: (outcome, { params }) =>
      'dryRun' in outcome
        ? jsonResponse(200, outcome.dryRun, {
            headers: { ...toLocationHeader(params.procedureShortId), etag: outcome.etag },
          })
        : respondProcedure(outcome.created ? 201 : 200, outcome.procedure, toLocationHeader(outcome.procedure.shortId)),
  }),
]
