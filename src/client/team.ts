import { type Call, type CallOptions, toTagged } from './call/call.ts'
import type {
  ChangeUserAccessBody,
  CreateApiKeyBody,
  CreatePluginBody,
  CreateSavedViewBody,
  CreateUserBody,
  ListSavedViewsQuery,
  PutProcedureBody,
  RotateApiKeyBody,
  UpdatePluginBody,
  UpdateSavedViewBody,
  UpdateUserBody,
} from './generated/bodies.ts'
import type { Procedure, ProcedureDryRun } from './generated/shapes.ts'
import type { Conditional } from './processes.ts'

// The configuration of a team: procedures, users, API keys and messaging accounts.

/** A procedure, or what a definition would do, with the entity tag. The tag is not enumerable, so it is not printed, copied or sent back. */
export type TaggedProcedure = Procedure & { readonly etag: string }
export type TaggedDryRun = ProcedureDryRun & { readonly etag: string }

export const createProceduresClient = (call: Call) => ({
  list: async (options?: CallOptions) => (await call('listProcedures', {}, options)).data,
  get: async (shortId: string, options?: CallOptions): Promise<TaggedProcedure> =>
    toTagged(await call('getProcedure', { path: { procedureShortId: shortId } }, options)),
  /** Creates the procedure, or replaces its definition; with `ifMatch`, only the one with this entity tag. */
  put: async (shortId: string, body: PutProcedureBody, options?: Conditional): Promise<TaggedProcedure> =>
    toTagged(await call('putProcedure', { path: { procedureShortId: shortId }, body }, options)),
  /** Returns the effect of `put`, and changes nothing. With its tag as `ifMatch`, `put` does only that. */
  dryRun: async (shortId: string, body: PutProcedureBody, options?: Conditional): Promise<TaggedDryRun> => {
    const input = { path: { procedureShortId: shortId }, query: { dryRun: 'true' as const }, body }
    return toTagged(await call('putProcedure', input, options))
  },
})

/** Keeps queries with their columns and layout, of a user or shared with the team. */
export const createSavedViewsClient = (call: Call) => ({
  /** Your user's own, and those that the team shares. */
  list: async (query: ListSavedViewsQuery = {}, options?: CallOptions) =>
    (await call('listSavedViews', { query }, options)).data,
  get: async (id: string, options?: CallOptions) =>
    (await call('getSavedView', { path: { savedViewId: id } }, options)).data,
  create: async (body: CreateSavedViewBody, options?: CallOptions) =>
    (await call('createSavedView', { body }, options)).data,
  update: async (id: string, body: UpdateSavedViewBody, options?: CallOptions) =>
    (await call('updateSavedView', { path: { savedViewId: id }, body }, options)).data,
  delete: async (id: string, options?: CallOptions) =>
    (await call('deleteSavedView', { path: { savedViewId: id } }, options)).data,
})

export const createUsersClient = (call: Call) => ({
  list: async (options?: CallOptions) => (await call('listUsers', {}, options)).data,
  get: async (id: string, options?: CallOptions) => (await call('getUser', { path: { userId: id } }, options)).data,
  /** Version 2: local times, short ids of team and role, the plain e-mail address. */
  listReadable: async (options?: CallOptions) => (await call('listUsersV2', {}, options)).data,
  getReadable: async (id: string, options?: CallOptions) =>
    (await call('getUserV2', { path: { userId: id } }, options)).data,
  create: async (body: CreateUserBody, options?: CallOptions) => (await call('createUser', { body }, options)).data,
  update: async (id: string, body: UpdateUserBody, options?: CallOptions) =>
    (await call('updateUser', { path: { userId: id }, body }, options)).data,
  /** The role, and whether they can act. */
  changeAccess: async (id: string, body: ChangeUserAccessBody, options?: CallOptions) =>
    (await call('changeUserAccess', { path: { userId: id }, body }, options)).data,
  /** The address is only in this response. */
  createSignInLink: async (id: string, options?: CallOptions) =>
    (await call('createSignInLink', { path: { userId: id } }, options)).data,
})

export const createApiKeysClient = (call: Call) => ({
  list: async (options?: CallOptions) => (await call('listApiKeys', {}, options)).data,
  /** The token is only in this response. */
  create: async (body: CreateApiKeyBody, options?: CallOptions) => (await call('createApiKey', { body }, options)).data,
  rotate: async (id: string, body: RotateApiKeyBody = {}, options?: CallOptions) =>
    (await call('rotateApiKey', { path: { keyId: id }, body }, options)).data,
  revoke: async (id: string, options?: CallOptions) =>
    (await call('revokeApiKey', { path: { keyId: id } }, options)).data,
})

export const createPluginsClient = (call: Call) => ({
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
