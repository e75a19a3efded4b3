import { getPublicOrigin } from '../http/public-origin.ts'
import { jsonResponse } from '../http/response/envelope.ts'
import { route } from '../http/route.ts'
import { getCipher } from '../plugin/secret/cipher.ts'
import { getConfig } from './operations.ts'
import { viewConfig } from './view.ts'

export const configRoutes = [
  route({
    id: 'getConfig',
    method: 'get',
    path: '/v1/ext/config',
    summary: 'Fetch the configuration',
    etag: true,
    permission: 'config:read',
    perform: ({ c, scope }) => getConfig(scope, getCipher(c.env)),
    respond: (config, { c, scope }) => jsonResponse(200, viewConfig(config, scope.team, getPublicOrigin(c))),
  }),
]
