import type { Call, CallOptions } from './call/call.ts'
import type {
  CreateWebhookBody,
  ListWebhookDeliveriesQuery,
  ReplayWebhookBody,
  RotateWebhookSecretBody,
  UpdateWebhookBody,
} from './generated/bodies.ts'
import type { WebhookDelivery } from './generated/shapes.ts'
import { type Paging, paginate } from './pages.ts'

/** Manages the webhooks of the team, and reads their deliveries. */
export const createWebhooksClient = (call: Call) => ({
  list: async (options?: CallOptions) => (await call('listWebhooks', {}, options)).data,
  get: async (id: string, options?: CallOptions) =>
    (await call('getWebhook', { path: { webhookId: id } }, options)).data,
  /** The secret is only in this response. */
  create: async (body: CreateWebhookBody, options?: CallOptions) =>
    (await call('createWebhook', { body }, options)).data,
  update: async (id: string, body: UpdateWebhookBody, options?: CallOptions) =>
    (await call('updateWebhook', { path: { webhookId: id }, body }, options)).data,
  delete: async (id: string, options?: CallOptions) =>
    (await call('deleteWebhook', { path: { webhookId: id } }, options)).data,
  /** The new secret is only in this response. For a day, both sign. */
  rotateSecret: async (id: string, body: RotateWebhookSecretBody = {}, options?: CallOptions) =>
    (await call('rotateWebhookSecret', { path: { webhookId: id }, body }, options)).data,
  /** Sends an event of the type `webhook.test`, and resolves to what came back. */
  test: async (id: string, options?: CallOptions) =>
    (await call('testWebhook', { path: { webhookId: id } }, options)).data,
  /** Attempts, newest first. */
  deliveries: (
    id: string,
    { failed, event, ...paging }: Pick<ListWebhookDeliveriesQuery, 'failed' | 'event'> & Paging = {},
    options?: CallOptions,
  ) =>
    paginate<WebhookDelivery>(paging, (limit, cursor) => {
      const query = { failed, event, limit, cursor }
      return call('listWebhookDeliveries', { path: { webhookId: id }, query }, options)
    }),
  /** Sends events once more: `{ from, to }` by their numbers, or `{ events }` by their ids. */
  replay: async (id: string, body: ReplayWebhookBody, options?: CallOptions) =>
    (await call('replayWebhook', { path: { webhookId: id }, body }, options)).data,
})
