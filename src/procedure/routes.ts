import { jsonResponse } from '../http/response/envelope.ts'
import { route } from '../http/route.ts'
import { getProcedureDocs, listProceduresDocs, putDocs } from './docs.ts'
import { getProcedureNow, listProcedures, putProcedure } from './operations.ts'
import { ProcedurePath, PutProcedure } from './schema.ts'
import { viewProcedure } from './view.ts'

export const procedureRoutes = [
  route({
    method: 'get',
    path: '/v1/ext/procedure',
    summary: 'List procedures',
    docs: listProceduresDocs,
    etag: true,
    permission: 'config:read',
    perform: ({ scope }) => listProcedures(scope),
    respond: procedures => jsonResponse(200, procedures.map(viewProcedure)),
  }),
  route({
    method: 'get',
    path: '/v1/ext/procedure/:procedureShortId',
    summary: 'Fetch a procedure',
    docs: getProcedureDocs,
    etag: true,
    permission: 'config:read',
    params: ProcedurePath,
    perform: ({ scope, params }) => getProcedureNow(scope, params.procedureShortId),
    respond: procedure => jsonResponse(200, viewProcedure(procedure)),
  }),
  route({
    method: 'put',
    path: '/v1/ext/procedure/:procedureShortId',
    summary: 'Create or replace a procedure',
    docs: putDocs,
    permission: 'config:write',
    params: ProcedurePath,
    body: PutProcedure,
    perform: ({ scope, params, body }) => putProcedure(scope, params.procedureShortId, body),
    respond: ({ procedure, created }) =>
      jsonResponse(created ? 201 : 200, viewProcedure(procedure), {
        headers: { location: `/v1/ext/procedure/${procedure.shortId}` },
      }),
  }),
]
