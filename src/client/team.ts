import type { Call, CallOptions } from './call/call.ts'
import type {
  CreateApiKeyBody,
  CreatePluginBody,
  CreateUserBody,
  PutProcedureBody,
  RotateApiKeyBody,
  UpdatePluginBody,
  UpdateUserBody,
} from './generated/bodies.ts'

// The configuration of a team: procedures, users, API keys and messaging accounts.

export const proceduresOf = (call: Call) => ({
  list: async (options?: CallOptions) => (await call('listProcedures', {}, options)).data,
  get: async (shortId: string, options?: CallOptions) =>
    (await call('getProcedure', { path: { procedureShortId: shortId } }, options)).data,
  /** Creates the procedure, or replaces its definition. */
  put: async (shortId: string, body: PutProcedureBody, options?: CallOptions) =>
    (await call('putProcedure', { path: { procedureShortId: shortId }, body }, options)).data,
})

export const usersOf = (call: Call) => ({
  list: async (options?: CallOptions) => (await call('listUsers', {}, options)).data,
  get: async (id: string, options?: CallOptions) => (await call('getUser', { path: { userId: id } }, options)).data,
  /** Version 2: local times, short ids of team and role, the plain e-mail address. */
  listReadable: async (options?: CallOptions) => (await call('listUsersV2', {}, options)).data,
  getReadable: async (id: string, options?: CallOptions) =>
    (await call('getUserV2', { path: { userId: id } }, options)).data,
  create: async (body: CreateUserBody, options?: CallOptions) => (await call('createUser', { body }, options)).data,
  update: async (id: string, body: UpdateUserBody, options?: CallOptions) =>
    (await call('updateUser', { path: { userId: id }, body }, options)).data,
})

export const apiKeysOf = (call: Call) => ({
  list: async (options?: CallOptions) => (await call('listApiKeys', {}, options)).data,
  /** The token is only in this response. */
  create: async (body: CreateApiKeyBody, options?: CallOptions) => (await call('createApiKey', { body }, options)).data,
  rotate: async (id: string, body: RotateApiKeyBody = {}, options?: CallOptions) =>
    (await call('rotateApiKey', { path: { keyId: id }, body }, options)).data,
  revoke: async (id: string, options?: CallOptions) =>
    (await call('revokeApiKey', { path: { keyId: id } }, options)).data,
})

export const pluginsOf = (call: Call) => ({
  list: async (options?: CallOptions) => (await call('listPlugins', {}, options)).data,
  get: async (id: string, options?: CallOptions) => (await call('getPlugin', { path: { pluginId: id } }, options)).data,
  create: async (body: CreatePluginBody, options?: CallOptions) => (await call('createPlugin', { body }, options)).data,
  update: async (id: string, body: UpdatePluginBody, options?: CallOptions) =>
    (await call('updatePlugin', { path: { pluginId: id }, body }, options)).data,
  delete: async (id: string, options?: CallOptions) =>
    (await call('deletePlugin', { path: { pluginId: id } }, options)).data,
  syncTemplates: async (id: string, options?: CallOptions) =>
    (await call('syncTemplates', { path: { pluginId: id } }, options)).data,
  templates: async (id: string, options?: CallOptions) =>
    (await call('listTemplates', { path: { pluginId: id } }, options)).data,
})
