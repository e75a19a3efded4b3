import { jsonResponse } from '../http/response/envelope.ts'
import { route } from '../http/route.ts'
import { createApiKeyDocs, listApiKeysDocs, revokeDocs, rotateDocs } from './docs.ts'
import { createKey, listKeys, revokeKey, rotateKey } from './operations.ts'
import { ApiKeyPath, NewApiKey, Rotation } from './schema.ts'
import { viewIssuedKey, viewKey } from './view.ts'

export const authRoutes = [
  route({
    method: 'post',
    path: '/v1/ext/api-key',
    summary: 'Create an API key',
    docs: createApiKeyDocs,
    permission: 'key:write',
    body: NewApiKey,
    perform: ({ c, scope, body }) => createKey(scope, body, c.get('may')),
    respond: issued =>
      jsonResponse(201, viewIssuedKey(issued), { headers: { location: `/v1/ext/api-key/${issued.row.id}` } }),
  }),
  route({
    method: 'get',
    path: '/v1/ext/api-key',
    summary: 'List API keys',
    docs: listApiKeysDocs,
    permission: 'key:read',
    perform: ({ scope }) => listKeys(scope),
    respond: rows => jsonResponse(200, rows.map(viewKey)),
  }),
  route({
    method: 'delete',
    path: '/v1/ext/api-key/:keyId',
    summary: 'Revoke an API key',
    docs: revokeDocs,
    permission: 'key:write',
    params: ApiKeyPath,
    perform: ({ scope, params }) => revokeKey(scope, params.keyId),
    respond: row => jsonResponse(200, viewKey(row)),
  }),
  route({
    method: 'post',
    path: '/v1/ext/api-key/:keyId/rotate',
    summary: 'Rotate an API key',
    docs: rotateDocs,
    permission: 'key:write',
    params: ApiKeyPath,
    body: Rotation,
    perform: ({ scope, params, body }) => rotateKey(scope, params.keyId, body.overlapSeconds),
    respond: issued =>
      jsonResponse(201, viewIssuedKey(issued), { headers: { location: `/v1/ext/api-key/${issued.row.id}` } }),
  }),
]
