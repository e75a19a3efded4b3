import { markAsCode } from './literal.ts'
import type { ExampleRequest } from './request.ts'

/** A call of our client: `client.<on>.<method>(…args)`, whose result is named `name`. */
export interface ClientCall {
  on: string
  method: string
  args: unknown[]
  name: string
  /** The name of each item of the result, if it is iterated. */
  item?: string
}

type BuildClientCall = (request: ExampleRequest) => ClientCall

const one =
  (
    name: string,
    on: string,
    method: string,
    args: (request: ExampleRequest) => unknown[] = () => [],
  ): BuildClientCall =>
  request => ({ name, on, method, args: args(request) })

const each =
  (item: string, ...of: Parameters<typeof one>): BuildClientCall =>
  request => ({ ...one(...of)(request), item })

/** Makes a call of a method of `client.processes('lead')`. */
const onProcesses =
  (call: BuildClientCall): BuildClientCall =>
  request => {
    const made = call(request)
    return { ...made, on: `processes('${request.path.procedureShortId}')` }
  }
const lead = (method: string, args: (request: ExampleRequest) => unknown[]) =>
  onProcesses(one('lead', '', method, args))
const leads = (method: string, args: (request: ExampleRequest) => unknown[]) =>
  onProcesses(each('lead', 'leads', '', method, args))
const leadsJob = (method: string, args: (request: ExampleRequest) => unknown[]) =>
  onProcesses(one('job', '', method, args))

const sent = (on: string, to: (request: ExampleRequest) => object) =>
  one('message', on, 'send', request => [request.path.pluginId, to(request), request.body])

const query = ({ query: given }: ExampleRequest): unknown[] => (Object.keys(given).length === 0 ? [] : [given])
const body = (request: ExampleRequest): unknown[] => [request.body]
const value =
  (name: string) =>
  ({ path }: ExampleRequest): unknown[] => [path[name]]
const valueAndBody =
  (name: string) =>
  ({ path, body: sent }: ExampleRequest): unknown[] => [path[name], sent]
const byKey = ({ path }: ExampleRequest) => ({ [path.primaryKeyShortId ?? '']: path.primaryKeyValue })

/**
 * The client's method for an operation, by its id. An operation that is not named here is called by `client.call`.
 * `test/samples.check.ts` runs each, and compares the request that the method sends with the operation's example.
 */
export const CLIENT_CALLS: Record<string, BuildClientCall> = {
  getHealth: one('health', '', 'health'),
  getConfig: one('config', '', 'config'),
  getMe: one('me', '', 'me'),

  listWebhooks: one('webhooks', 'webhooks', 'list'),
  createWebhook: one('webhook', 'webhooks', 'create', body),
  getWebhook: one('webhook', 'webhooks', 'get', value('webhookId')),
  updateWebhook: one('webhook', 'webhooks', 'update', valueAndBody('webhookId')),
  deleteWebhook: one('webhook', 'webhooks', 'delete', value('webhookId')),
  listWebhookDeliveries: each('delivery', 'deliveries', 'webhooks', 'deliveries', value('webhookId')),
  testWebhook: one('result', 'webhooks', 'test', value('webhookId')),
  replayWebhook: one('replay', 'webhooks', 'replay', valueAndBody('webhookId')),
  rotateWebhookSecret: one('webhook', 'webhooks', 'rotateSecret', valueAndBody('webhookId')),

  listRequests: each('request', 'requests', 'requests', 'list', query),
  getRequest: one('request', 'requests', 'get', value('requestId')),
  getUsage: one('usage', '', 'usage', ({ query: { month } }) => (month === undefined ? [] : [month])),
  listSavedViews: one('views', 'savedViews', 'list', query),
  createSavedView: one('view', 'savedViews', 'create', body),
  getSavedView: one('view', 'savedViews', 'get', value('savedViewId')),
  updateSavedView: one('view', 'savedViews', 'update', valueAndBody('savedViewId')),
  deleteSavedView: one('view', 'savedViews', 'delete', value('savedViewId')),

  listProcedures: one('procedures', 'procedures', 'list'),
  getProcedure: one('procedure', 'procedures', 'get', value('procedureShortId')),
  putProcedure: one('procedure', 'procedures', 'put', valueAndBody('procedureShortId')),

  createProcess: lead('create', body),
  createOrUpdateProcess: lead('createOrUpdate', body),
  getProcessById: lead('get', value('processId')),
  getProcessByPrimaryKey: lead('get', request => [byKey(request)]),
  updateProcessById: lead('update', valueAndBody('processId')),
  updateProcessByPrimaryKey: lead('update', request => [byKey(request), request.body]),
  deleteProcessById: lead('delete', value('processId')),
  deleteProcessByPrimaryKey: lead('delete', request => [byKey(request)]),
  listHistoryById: onProcesses(each('change', 'changes', '', 'history', value('processId'))),
  listHistoryByPrimaryKey: onProcesses(each('change', 'changes', '', 'history', request => [byKey(request)])),
  revertProcessById: lead('revert', ({ path, body: sent }) => [path.processId, sent?.version]),
  revertProcessByPrimaryKey: lead('revert', request => [byKey(request), request.body?.version]),
  restoreProcess: lead('restore', value('processId')),
  listProcesses: leads('list', body),
  listNewestProcesses: leads('newest', query),
  aggregateProcesses: onProcesses(one('groups', '', 'aggregate', body)),
  countProcesses: onProcesses(
    one('count', '', 'count', ({ query: { where } }) => (where === undefined ? [] : [JSON.parse(String(where))])),
  ),
  bulkCreateProcesses: leadsJob('bulkCreate', ({ body: sent }) => [sent?.processes]),
  bulkUpsertProcesses: leadsJob('bulkUpsert', ({ body: sent }) => [sent?.processes]),
  bulkUpdateProcesses: leadsJob('bulkUpdate', ({ body: sent }) => [sent?.processes]),

  listRecords: each('customer', 'customers', 'records', 'list', query),
  getRecord: one('customer', 'records', 'get', value('recordId')),
  updateRecord: one('customer', 'records', 'update', ({ path, body: sent }) => [path.recordId, sent?.data]),
  eraseRecord: one('erased', 'records', 'erase', value('recordId')),
  listHistoryOfRecord: each('change', 'changes', 'records', 'history', value('recordId')),
  listProcessesOfRecord: each('process', 'processes', 'records', 'processes', value('recordId')),
  listMessagesOfRecord: each('message', 'messages', 'records', 'messages', value('recordId')),

  scheduleJob: one('job', 'jobs', 'schedule', body),
  listJobs: each('job', 'jobs', 'jobs', 'list', query),
  getJob: one('job', 'jobs', 'get', value('backgroundJobId')),
  listJobEntries: each('entry', 'entries', 'jobs', 'entries', request => [
    request.path.backgroundJobId,
    ...query(request),
  ]),
  getJobResults: each('entry', 'entries', 'jobs', 'results', value('backgroundJobId')),
  watchJob: each('job', 'changes', 'jobs', 'watch', value('backgroundJobId')),
  countJobs: one('counts', 'jobs', 'counts'),
  cancelJob: one('job', 'jobs', 'cancel', value('backgroundJobId')),
  retryJob: one('job', 'jobs', 'retry', valueAndBody('backgroundJobId')),
  undoJob: one('job', 'jobs', 'undo', value('backgroundJobId')),
  applyJob: one('job', 'jobs', 'apply', value('backgroundJobId')),

  sendTemplateMessageToPhone: sent('messages', ({ path: { phoneNumber } }) => ({ phoneNumber })),
  sendTemplateMessageForProcessId: sent('messages', ({ path: { processId } }) => ({ process: processId })),
  sendTemplateMessageForProcess: sent('messages', ({ path: { procedureShortId, processIdOrKey } }) => ({
    procedure: procedureShortId,
    process: processIdOrKey,
  })),
  bulkSendTemplateMessage: one('job', 'messages', 'sendMany', ({ path, body: sent }) => [
    path.pluginId,
    path.procedureShortId,
    sent,
  ]),
  sendProviderMessage: one('message', 'messages', 'sendOfProvider', ({ path, body: sent }) => [
    { plugin: path.pluginId, phoneNumberId: path.phoneNumberId, version: path.version },
    sent,
  ]),
  getMessage: one('message', 'messages', 'get', value('messageId')),
  downloadMessageMedia: one('file', 'messages', 'download', value('messageId')),
  resendMessage: one('message', 'messages', 'resend', value('messageId')),
  countMessages: one('counts', 'messages', 'counts', query),
  listMessages: each('message', 'messages', 'messages', 'list', query),
  listOptOuts: each('optOut', 'optOuts', 'messages', 'optOuts', query),
  removeOptOut: one('optOut', 'messages', 'removeOptOut', value('phoneNumber')),
  uploadPublicMedia: one('media', 'messages', 'upload', ({ path, upload = '' }) => [
    path.pluginId,
    markAsCode(`await openAsBlob('${upload}')`),
    upload,
  ]),

  listEvents: one('page', 'eventFeed', 'page', query),
  getEventFeed: one('feed', 'eventFeed', 'get'),
  switchEventFeed: one('feed', 'eventFeed', 'set', ({ body: sent }) => [(sent as { enabled: boolean }).enabled]),

  listPlugins: one('plugins', 'plugins', 'list'),
  getPlugin: one('plugin', 'plugins', 'get', value('pluginId')),
  createPlugin: one('plugin', 'plugins', 'create', body),
  updatePlugin: one('plugin', 'plugins', 'update', valueAndBody('pluginId')),
  deletePlugin: one('plugin', 'plugins', 'delete', value('pluginId')),
  syncTemplates: one('templates', 'plugins', 'syncTemplates', value('pluginId')),
  listTemplates: one('templates', 'plugins', 'templates', value('pluginId')),

  listUsers: one('users', 'users', 'list'),
  getUser: one('user', 'users', 'get', value('userId')),
  listUsersV2: one('users', 'users', 'listReadable'),
  getUserV2: one('user', 'users', 'getReadable', value('userId')),
  createUser: one('user', 'users', 'create', body),
  updateUser: one('user', 'users', 'update', valueAndBody('userId')),

  signIn: one('session', 'session', 'signIn', body),
  signOut: one('signedOut', 'session', 'signOut'),
  challengeSignIn: one('challenge', 'session', 'challenge'),
  listWaysToSignIn: one('ways', 'session', 'ways'),
  beginOpenId: one('begun', 'session', 'beginOpenId', body),
  answerOpenId: one('person', 'session', 'answerOpenId', body),
  listSessions: one('sessions', 'session', 'list', query),
  endSession: one('session', 'session', 'end', value('sessionId')),
  challengePasskey: one('challenge', 'passkeys', 'challenge'),
  addPasskey: one('passkey', 'passkeys', 'add', body),
  listPasskeys: one('passkeys', 'passkeys', 'list', query),
  deletePasskey: one('passkey', 'passkeys', 'remove', value('passkeyId')),
  changeUserAccess: one('user', 'users', 'changeAccess', valueAndBody('userId')),
  createSignInLink: one('link', 'users', 'createSignInLink', value('userId')),

  listApiKeys: one('keys', 'apiKeys', 'list'),
  createApiKey: one('key', 'apiKeys', 'create', body),
  rotateApiKey: one('key', 'apiKeys', 'rotate', valueAndBody('keyId')),
  revokeApiKey: one('key', 'apiKeys', 'revoke', value('keyId')),
}
