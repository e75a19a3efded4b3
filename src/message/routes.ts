import type { Context } from 'hono'
import type { AppEnv } from '../http/context.ts'
import { type JsonResponse, jsonResponse } from '../http/response/envelope.ts'
import { changeAddress, linkToNext } from '../http/response/next-page.ts'
import { route } from '../http/route.ts'
import { getProvider } from '../plugin/provider.ts'
import { getCipher } from '../plugin/secret/cipher.ts'
import { readMessagesPerSecond } from '../plugin/settings.ts'
import type { Scope } from '../scope.ts'
import { createSettlementQueue } from './ledger/queue.ts'
import { getDeliveryReason, type MessageRow } from './ledger/statements.ts'
import { ListMessages } from './list-schema.ts'
import {
  getMessage,
  listMessages,
  passThrough,
  recallMessage,
  resendMessage,
  sendForProcess,
  sendForProcessId,
  sendToPhone,
} from './operations.ts'
import { toSendFailure } from './rules.ts'
import {
  MessagePath,
  PassThrough,
  PassThroughPath,
  SendForProcessIdPath,
  SendForProcessPath,
  SendToPhonePath,
} from './schema.ts'
import { getRateLimiter } from './send/rate-limiter.ts'
import { SendTemplate } from './send/schema.ts'
import type { SendContext } from './send/send-one.ts'
import { viewMessage, viewMessageWithHistory } from './view.ts'

const PLUGIN = '/v1/ext/plugin/whatsapp/:pluginId'
/** The provider's texts have 4,096 characters. The database would refuse a row or parameter of 2 MB. */
const PROVIDER_MESSAGE_BYTES_MAX = 64 * 1024

const getSendContext = (c: Context<AppEnv>): SendContext => ({
  cipher: getCipher(c.env),
  provider: getProvider(c.env),
  queue: createSettlementQueue(c.env),
  keepAlive: work => c.executionCtx.waitUntil(work),
  callerId: c.var.callerId,
  countSend: async ({ plugin, sender }) => {
    const own = plugin.phoneNumbers.find(({ id }) => id === sender)?.messagesPerSecond
    try {
      await getRateLimiter(c.env, plugin.team, sender).count(own ?? readMessagesPerSecond(c.env))
    } catch {
      // The provider has limits of its own.
    }
  },
})

/** What a route that sends has in common: a success only where the provider accepted, and the present state on a retry. */
const sending = {
  permission: 'message:send',
  refreshOutcome: ({ id }: MessageRow, { scope }: { scope: Scope }) => recallMessage(scope, id),
} as const

const respondWith = (row: MessageRow, view: (row: MessageRow) => object): JsonResponse => {
  const failure = toSendFailure({ ...row, reason: getDeliveryReason(row) })
  if (failure) throw failure
  return jsonResponse(200, view(row))
}

const respondSent = (row: MessageRow, { scope }: { scope: Scope }) =>
  respondWith(row, each => viewMessage(scope.team, each))

/** The literal `phoneNumber` stands before the routes that take a procedure's short id in its place. */
const sendToPhoneRoute = <const Id extends string>(id: Id, path: string, summary: string) =>
  route({
    ...sending,
    id,
    method: 'post',
    path: `${path}/:phoneNumber/send-template-message`,
    summary,
    params: SendToPhonePath,
    body: SendTemplate,
    perform: ({ c, scope, params: { pluginId, phoneNumber: phone }, body }) =>
      sendToPhone(scope, getSendContext(c), { pluginId, phone, body }),
    respond: respondSent,
  })

export const messageRoutes = [
  sendToPhoneRoute(
    'sendTemplateMessageToPhoneOfProcessPath',
    `${PLUGIN}/process/phoneNumber`,
    'Send a template (other path)',
  ),
  sendToPhoneRoute('sendTemplateMessageToPhone', `${PLUGIN}/phoneNumber`, 'Send a template to a number'),
  route({
    ...sending,
    id: 'sendTemplateMessageForProcessId',
    method: 'post',
    path: `${PLUGIN}/process/:processId/send-template-message`,
    summary: 'Send a template by process id',
    params: SendForProcessIdPath,
    body: SendTemplate,
    perform: ({ c, scope, params: { pluginId, processId: process }, body }) =>
      sendForProcessId(scope, getSendContext(c), { pluginId, process, body }),
    respond: respondSent,
  }),
  route({
    ...sending,
    id: 'sendTemplateMessageForProcess',
    method: 'post',
    path: `${PLUGIN}/process/:procedureShortId/:processIdOrKey/send-template-message`,
    summary: 'Send a template for a process',
    params: SendForProcessPath,
    body: SendTemplate,
    perform: ({ c, scope, params, body }) => {
      const { pluginId, procedureShortId: procedure, processIdOrKey: process } = params
      return sendForProcess(scope, getSendContext(c), { pluginId, procedure, process, body })
    },
    respond: respondSent,
  }),
  route({
    ...sending,
    id: 'sendProviderMessage',
    method: 'post',
    path: `${PLUGIN}/api/:version/:phoneNumberId/messages`,
    summary: "Send in the provider's format",
    params: PassThroughPath,
    body: PassThrough,
    bodyBytesMax: PROVIDER_MESSAGE_BYTES_MAX,
    perform: ({ c, scope, params, body }) => passThrough(scope, getSendContext(c), { ...params, body }),
    respond: row => respondWith(row, ({ id, externalId }) => ({ whatsappMessageId: externalId, id })),
  }),
  route({
    ...sending,
    id: 'resendMessage',
    method: 'post',
    path: '/v1/ext/message/:messageId/resend',
    summary: 'Resend a message',
    params: MessagePath,
    perform: ({ c, scope, params }) => resendMessage(scope, getSendContext(c), params.messageId),
    respond: respondSent,
  }),
  route({
    id: 'getMessage',
    method: 'get',
    path: '/v1/ext/message/:messageId',
    summary: 'Fetch a message',
    etag: true,
    permission: 'message:read',
    params: MessagePath,
    perform: ({ scope, params }) => getMessage(scope, params.messageId),
    respond: (row, { scope }) => jsonResponse(200, viewMessageWithHistory(scope.team, row)),
  }),
  route({
    id: 'listMessages',
    method: 'get',
    path: '/v1/ext/message',
    summary: 'List messages',
    permission: 'message:read',
    query: ListMessages,
    perform: ({ scope, query }) => listMessages(scope, query),
    respond: ({ rows, next }, { c, scope }) =>
      jsonResponse(
        200,
        rows.map(row => viewMessageWithHistory(scope.team, row)),
        {
          meta: { hasMore: next !== null, next },
          headers: linkToNext(c, next === null ? null : changeAddress(c, { cursor: next, skip: null })),
        },
      ),
  }),
]
