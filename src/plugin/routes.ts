import { getPublicOrigin } from '../http/public-origin.ts'
import { jsonResponse } from '../http/response/envelope.ts'
import { route } from '../http/route.ts'
import { createPlugin, deletePlugin, getPublicPlugin, listPlugins, updatePlugin } from './operations.ts'
import { getProvider } from './provider.ts'
import { NewPlugin, PluginPath, UpdatePlugin } from './schema.ts'
import { getCipher } from './secret/cipher.ts'
import { listTemplates } from './template/operations.ts'
import { syncTemplates } from './template/sync.ts'
import { viewPlugin, viewTemplate } from './view.ts'

const PLUGINS = '/v1/ext/plugin/whatsapp'

export const pluginRoutes = [
  route({
    id: 'listPlugins',
    method: 'get',
    path: '/v1/ext/plugin',
    summary: 'List plugins',
    etag: true,
    permission: 'config:read',
    perform: ({ c, scope }) => listPlugins(scope, getCipher(c.env)),
    respond: (rows, { c, scope }) =>
      jsonResponse(
        200,
        rows.map(row => viewPlugin(row, scope.team, getPublicOrigin(c))),
      ),
  }),
  route({
    id: 'createPlugin',
    method: 'post',
    path: PLUGINS,
    summary: 'Connect a WhatsApp account',
    permission: 'config:write',
    body: NewPlugin,
    perform: ({ c, scope, body }) => createPlugin(scope, getCipher(c.env), body, c.get('may')),
    respond: (row, { c, scope }) =>
      jsonResponse(201, viewPlugin(row, scope.team, getPublicOrigin(c)), {
        headers: { location: `${PLUGINS}/${row.id}` },
      }),
  }),
  route({
    id: 'getPlugin',
    method: 'get',
    path: `${PLUGINS}/:pluginId`,
    summary: 'Fetch a plugin',
    etag: true,
    permission: 'config:read',
    params: PluginPath,
    perform: ({ c, scope, params }) => getPublicPlugin(scope, getCipher(c.env), params.pluginId),
    respond: (row, { c, scope }) => jsonResponse(200, viewPlugin(row, scope.team, getPublicOrigin(c))),
  }),
  route({
    id: 'updatePlugin',
    method: 'put',
    path: `${PLUGINS}/:pluginId`,
    summary: 'Update a plugin',
    permission: 'config:write',
    params: PluginPath,
    body: UpdatePlugin,
    perform: ({ c, scope, params, body }) =>
      updatePlugin(scope, getCipher(c.env), { id: params.pluginId, change: body }, c.get('may')),
    respond: (row, { c, scope }) => jsonResponse(200, viewPlugin(row, scope.team, getPublicOrigin(c))),
  }),
  route({
    id: 'deletePlugin',
    method: 'delete',
    path: `${PLUGINS}/:pluginId`,
    summary: 'Delete a plugin',
    permission: 'config:write',
    params: PluginPath,
    perform: ({ c, scope, params }) => deletePlugin(scope, getCipher(c.env), params.pluginId),
    respond: (row, { c, scope }) => jsonResponse(200, viewPlugin(row, scope.team, getPublicOrigin(c))),
  }),
  route({
    id: 'syncTemplates',
    method: 'post',
    path: `${PLUGINS}/:pluginId/sync-templates`,
    summary: 'Sync templates',
    permission: 'config:write',
    params: PluginPath,
    perform: ({ c, scope, params }) =>
      syncTemplates(scope, { cipher: getCipher(c.env), provider: getProvider(c.env) }, params.pluginId),
    respond: synced => jsonResponse(200, synced),
  }),
  route({
    id: 'listTemplates',
    method: 'get',
    path: `${PLUGINS}/:pluginId/templates`,
    summary: 'List templates',
    etag: true,
    permission: 'config:read',
    params: PluginPath,
    perform: ({ scope, params }) => listTemplates(scope, params.pluginId),
    respond: templates => jsonResponse(200, templates.map(viewTemplate)),
  }),
]
