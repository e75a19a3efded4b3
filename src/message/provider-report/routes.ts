import type { Context } from 'hono'
import * as z from 'zod'
import { AppError, notFound } from '../../errors.ts'
import type { FeedTeam } from '../../event/feed-rows.ts'
import { signalCommit } from '../../event/signal/signal.ts'
import { readHome } from '../../home.ts'
import type { AppEnv } from '../../http/context.ts'
import { limitBody } from '../../http/request/json-body.ts'
import { lookUpUnauthenticated } from '../../http/request/unauthenticated.ts'
import { jsonResponse } from '../../http/response/envelope.ts'
import { route } from '../../http/route.ts'
import type { PluginRow } from '../../plugin/operations.ts'
import { findReportingPlugin } from '../../plugin/reporting-plugin.ts'
import { PluginPath } from '../../plugin/schema.ts'
import { getCipher } from '../../plugin/secret/cipher.ts'
import { isVerifyToken, verifySignature } from './proof.ts'
import { receiveReport } from './receive.ts'

const PATH = '/webhooks/whatsapp/:home/:pluginId'
/** The provider puts at most this much into one report. */
const REPORT_BYTES_MAX = 3 * 1024 * 1024

const ReportPath = z.object({
  home: z.string().meta({ description: 'Where the team is: in `webhookPath` of the plugin.', examples: ['0k7Q'] }),
  ...PluginPath.shape,
})

const Handshake = z.object({
  'hub.mode': z
    .string()
    .optional()
    .meta({ description: 'Always `subscribe`.', examples: ['subscribe'] }),
  'hub.verify_token': z
    .string()
    .optional()
    .meta({ description: 'The `verifyToken` of the plugin.', examples: ['my-verify-token'] }),
  'hub.challenge': z
    .string()
    .max(1_000)
    .optional()
    .meta({ description: 'A text that the response repeats.', examples: ['1158201444'] }),
})

export const providerReportRoutes = [
  route({
    id: 'verifyWebhook',
    method: 'get',
    path: PATH,
    summary: 'Verify a webhook',
    permission: null,
    params: ReportPath,
    query: Handshake,
    isProvidersCall: true,
    perform: async ({ c, params, query }) => {
      const plugin = await requirePlugin(c, params)
      const { 'hub.mode': mode, 'hub.verify_token': token = '', 'hub.challenge': challenge } = query
      const proven = await lookUpUnauthenticated(c, { kind: `verify token of ${plugin.id}` }, async () =>
        mode === 'subscribe' && (await isVerifyToken(c.var.db, getCipher(c.env), plugin, token))
          ? challenge
          : undefined,
      )
      if (proven === undefined)
        throw new AppError('permission_denied', 'the verify token is not the one of this plugin')
      return proven
    },
    respond: (challenge, { c }) => c.text(challenge),
  }),
  route({
    id: 'receiveWebhook',
    method: 'post',
    path: PATH,
    summary: 'Receive a webhook',
    permission: null,
    params: ReportPath,
    isProvidersCall: true,
    perform: async ({ c, params }) => {
      const plugin = await requirePlugin(c, params)
      const signature = c.req.header('x-hub-signature-256')
      const attempt = { kind: `signature of ${plugin.id}`, isShared: true } as const
      const signed = await lookUpUnauthenticated(c, attempt, async () => {
        await limitBody(REPORT_BYTES_MAX)(c, async () => {})
        const body = await c.req.arrayBuffer()
        const proven = await verifySignature(c.var.db, getCipher(c.env), plugin, signature, body)
        return proven && { plugin: proven, body }
      })
      if (!signed)
        throw new AppError('unauthenticated', [
          {
            message: "the signature is missing or was not made with this plugin's app secret",
            path: '/header/x-hub-signature-256',
          },
        ])
      const signal = (team: FeedTeam) => c.executionCtx.waitUntil(signalCommit(c.env, team))
      await receiveReport(
        { db: c.var.db, keys: c.env, queue: c.env.PROVIDER_REPORTS, signal },
        signed.plugin,
        signed.body,
      )
      return {}
    },
    respond: () => jsonResponse(200, {}),
  }),
]

async function requirePlugin(c: Context<AppEnv>, { home, pluginId }: z.output<typeof ReportPath>): Promise<PluginRow> {
  const plugin = await findReportingPlugin(c.var.db, { team: readHome(home), id: pluginId }, find =>
    lookUpUnauthenticated(c, { kind: 'plugin', lookup: pluginId }, find),
  )
  if (!plugin) throw notFound(`plugin ${pluginId}`)
  return plugin
}
