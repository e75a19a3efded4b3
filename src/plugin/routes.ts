import { publicOrigin } from '../http/public-origin.ts'
import { jsonResponse } from '../http/response/envelope.ts'
import { route } from '../http/route.ts'
import {
  createPluginDocs,
  deleteDocs,
  getPluginDocs,
  listPluginsDocs,
  syncDocs,
  templatesDocs,
  updatePluginDocs,
} from './docs.ts'
import { createPlugin, deletePlugin, listPlugins, showPlugin, updatePlugin } from './operations.ts'
import { getProvider } from './provider.ts'
import { NewPlugin, PluginPath, UpdatePlugin } from './schema.ts'
import { getCipher } from './secret/cipher.ts'
import { listTemplates } from './template/operations.ts'
import { syncTemplates } from './template/sync.ts'
import { viewPlugin, viewTemplate } from './view.ts'

const PLUGINS = '/v1/ext/plugin/whatsapp'

export const pluginRoutes = [
  route({
    method: 'get',
    path: '/v1/ext/plugin',
    summary: 'List plugins',
    docs: listPluginsDocs,
    etag: true,
    permission: 'config:read',
    perform: ({ c, scope }) => listPlugins(scope, getCipher(c.env)),
    respond: (rows, { c, scope }) =>
      jsonResponse(
        200,
        rows.map(row => viewPlugin(row, scope.team, publicOrigin(c))),
      ),
  }),
  route({
    method: 'post',
    path: PLUGINS,
    summary: 'Connect a WhatsApp account',
    docs: createPluginDocs,
    permission: 'config:write',
    body: NewPlugin,
    perform: ({ c, scope, body }) => createPlugin(scope, getCipher(c.env), body),
    respond: (row, { c, scope }) =>
      jsonResponse(201, viewPlugin(row, scope.team, publicOrigin(c)), {
        headers: { location: `${PLUGINS}/${row.id}` },
      }),
  }),
  route({
    method: 'get',
    path: `${PLUGINS}/:pluginId`,
    summary: 'Fetch a plugin',
    docs: getPluginDocs,
    etag: true,
    permission: 'config:read',
    params: PluginPath,
    perform: ({ c, scope, params }) => showPlugin(scope, getCipher(c.env), params.pluginId),
    respond: (row, { c, scope }) => jsonResponse(200, viewPlugin(row, scope.team, publicOrigin(c))),
  }),
  route({
    method: 'put',
    path: `${PLUGINS}/:pluginId`,
    summary: 'Update a plugin',
    docs: updatePluginDocs,
    permission: 'config:write',
    params: PluginPath,
    body: UpdatePlugin,
    perform: ({ c, scope, params, body }) =>
      updatePlugin(scope, getCipher(c.env), { id: params.pluginId, change: body }),
    respond: (row, { c, scope }) => jsonResponse(200, viewPlugin(row, scope.team, publicOrigin(c))),
  }),
  route({
    method: 'delete',
    path: `${PLUGINS}/:pluginId`,
    summary: 'Delete a plugin',
    docs: deleteDocs,
    permission: 'config:write',
    params: PluginPath,
    perform: ({ c, scope, params }) => deletePlugin(scope, getCipher(c.env), params.pluginId),
    respond: (row, { c, scope }) => jsonResponse(200, viewPlugin(row, scope.team, publicOrigin(c))),
  }),
  route({
    method: 'post',
    path: `${PLUGINS}/:pluginId/sync-templates`,
    summary: 'Sync templates',
    docs: syncDocs,
    permission: 'config:write',
    params: PluginPath,
    perform: ({ c, scope, params }) =>
      syncTemplates(scope, { cipher: getCipher(c.env), provider: getProvider(c.env) }, params.pluginId),
    respond: synced => jsonResponse(200, synced),
  }),
  route({
    method: 'get',
    path: `${PLUGINS}/:pluginId/templates`,
    summary: 'List templates',
    docs: templatesDocs,
    etag: true,
    permission: 'config:read',
    params: PluginPath,
    perform: ({ scope, params }) => listTemplates(scope, params.pluginId),
    respond: templates => jsonResponse(200, templates.map(viewTemplate)),
  }),
]
