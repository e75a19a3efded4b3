import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { jsonResponse } from '../../http/response/envelope.ts'
import { route } from '../../http/route.ts'
import { PluginPath } from '../../plugin/schema.ts'
import { cipherOf } from '../../plugin/secrets.ts'
import { handshakeDocs, webhookDocs } from '../docs.ts'
import { acceptHandshake, receiveWebhook } from './receive.ts'

const PATH = '/webhooks/whatsapp/:pluginId'
/** The provider puts at most this much into one webhook. */
const WEBHOOK_BYTES_MAX = 3 * 1024 * 1024

const Handshake = z.object({
  'hub.mode': z
    .string()
    .optional()
    .meta({ examples: ['subscribe'] }),
  'hub.verify_token': z
    .string()
    .optional()
    .meta({ examples: ['my-verify-token'] }),
  'hub.challenge': z
    .string()
    .max(1_000)
    .optional()
    .meta({ examples: ['1158201444'] }),
})

export const webhookRoutes = [
  route({
    method: 'get',
    path: PATH,
    summary: 'Verify a provider webhook',
    docs: handshakeDocs,
    permission: null,
    params: PluginPath,
    query: Handshake,
    perform: ({ c, params, query }) =>
      acceptHandshake(c.var.db, cipherOf(c.env), {
        pluginId: params.pluginId,
        mode: query['hub.mode'],
        verifyToken: query['hub.verify_token'],
        challenge: query['hub.challenge'],
      }),
    respond: (challenge, { c }) => c.text(challenge),
  }),
  route({
    method: 'post',
    path: PATH,
    summary: 'Receive a provider webhook',
    docs: webhookDocs,
    permission: null,
    params: PluginPath,
    perform: async ({ c, params }) => {
      const tooLarge = new AppError('request_too_large', `the body is larger than ${WEBHOOK_BYTES_MAX} bytes`)
      if (Number(c.req.header('content-length') ?? 0) > WEBHOOK_BYTES_MAX) throw tooLarge
      const body = await c.req.arrayBuffer()
      if (body.byteLength > WEBHOOK_BYTES_MAX) throw tooLarge
      const signature = c.req.header('x-hub-signature-256')
      await receiveWebhook(c.var.db, cipherOf(c.env), { pluginId: params.pluginId, signature, body })
      return {}
    },
    respond: () => jsonResponse(200, {}),
  }),
]
