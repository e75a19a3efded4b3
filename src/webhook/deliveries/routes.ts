import { readLogRetention } from '../../event/settings.ts'
import { isInstallationPaused, maintenanceError } from '../../http/pause.ts'
import { jsonResponse } from '../../http/response/envelope.ts'
import { route } from '../../http/route.ts'
import { getCipher } from '../../plugin/secret/cipher.ts'
import { WebhookPath } from '../schema.ts'
import { readAddressPolicy, webhookTimeoutMs } from '../settings.ts'
import { wakeEndpoint } from '../wake-endpoint.ts'
import { listDeliveries, replayEvents } from './operations.ts'
import { DeliveriesQuery, Replay } from './schema.ts'
import { sendTestEvent } from './send-test.ts'

const WEBHOOK = '/v1/ext/webhook/:webhookId'

export const deliveryRoutes = [
  route({
    id: 'listWebhookDeliveries',
    method: 'get',
    path: `${WEBHOOK}/delivery`,
    summary: 'List deliveries',
    permission: 'webhook:read',
    params: WebhookPath,
    query: DeliveriesQuery,
    perform: ({ scope, params, query }) => listDeliveries(scope, params.webhookId, query),
    respond: ({ deliveries, meta }) => jsonResponse(200, deliveries, { meta }),
  }),
  route({
    id: 'testWebhook',
    method: 'post',
    path: `${WEBHOOK}/test`,
    summary: 'Test a webhook',
    permission: 'webhook:write',
    // A test changes no data of ours, and may be sent twice.
    onlyReads: true,
    params: WebhookPath,
    perform: ({ c, scope, params }) => {
      if (isInstallationPaused(c.env)) throw maintenanceError(c.env)
      const context = {
        cipher: getCipher(c.env),
        policy: readAddressPolicy(c.env),
        timeoutMs: webhookTimeoutMs(c.env),
      }
      return sendTestEvent(scope, context, params.webhookId)
    },
    respond: result => jsonResponse(200, result),
  }),
  route({
    id: 'replayWebhook',
    method: 'post',
    path: `${WEBHOOK}/replay`,
    summary: 'Replay events',
    permission: 'webhook:write',
    params: WebhookPath,
    body: Replay,
    perform: async ({ c, scope, params, body }) => {
      const keptSince = Date.now() - readLogRetention(c.env).feedMs
      const replay = await replayEvents(scope, params.webhookId, body, keptSince)
      wakeEndpoint(c, scope, params.webhookId)
      return replay
    },
    respond: replay => jsonResponse(202, replay),
  }),
]
