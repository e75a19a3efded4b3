import { jsonResponse } from '../http/response/envelope.ts'
import { route } from '../http/route.ts'
import { createKey, listKeys, revokeKey, rotateKey } from './operations.ts'
import { ApiKeyPath, NewApiKey, Rotation } from './schema.ts'
import { viewIssuedKey, viewKey } from './view.ts'

export const apiKeyRoutes = [
  route({
    id: 'createApiKey',
    method: 'post',
    path: '/v1/ext/api-key',
    summary: 'Create an API key',
    permission: 'key:write',
    body: NewApiKey,
    perform: ({ c, scope, body }) => createKey(scope, body, c.get('may')),
    respond: issued =>
      jsonResponse(201, viewIssuedKey(issued), { headers: { location: `/v1/ext/api-key/${issued.row.id}` } }),
  }),
  route({
    id: 'listApiKeys',
    method: 'get',
    path: '/v1/ext/api-key',
    summary: 'List API keys',
    permission: 'key:read',
    perform: ({ scope }) => listKeys(scope),
    respond: rows => jsonResponse(200, rows.map(viewKey)),
  }),
  route({
    id: 'revokeApiKey',
    method: 'delete',
    path: '/v1/ext/api-key/:keyId',
    summary: 'Revoke an API key',
    permission: 'key:write',
    params: ApiKeyPath,
    perform: ({ scope, params }) => revokeKey(scope, params.keyId),
    respond: row => jsonResponse(200, viewKey(row)),
  }),
  route({
    id: 'rotateApiKey',
    method: 'post',
    path: '/v1/ext/api-key/:keyId/rotate',
    summary: 'Rotate an API key',
    permission: 'key:write',
    isBeyondAllowance: true,
    params: ApiKeyPath,
    body: Rotation,
    perform: ({ c, scope, params, body }) => rotateKey(scope, params.keyId, body.overlapSeconds, c.get('may')),
    respond: issued =>
      jsonResponse(201, viewIssuedKey(issued), { headers: { location: `/v1/ext/api-key/${issued.row.id}` } }),
  }),
]
