import * as z from 'zod'
import { type DocsByType, NOBODY_EXAMPLE } from '../event/docs.ts'
import type { RouteDocs } from '../http/openapi/route-docs.ts'
import type { WebhookSnapshot, webhookEvents } from './events.ts'
import { IssuedWebhook, type NewWebhook, WebhookView } from './schema.ts'

const tag = 'Webhooks'

const WEBHOOK_SNAPSHOT_EXAMPLE: WebhookSnapshot = {
  id: '01935c1e-5a00-7010-8a9b-7c8d9eafb0c1',
  createdAt: 1795276206000,
  updatedAt: 1795276206000,
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
  url: 'https://www.example.com/webhooks',
  types: ['process.created', 'process.updated'],
  procedures: null,
  description: 'Tells the warehouse',
  enabled: true,
  order: 'any',
  disabledAt: null,
  disabledReason: null,
  failingSince: null,
  previousSecretUntil: null,
}
const WEBHOOK_EXAMPLE: WebhookView = {
  ...WEBHOOK_SNAPSHOT_EXAMPLE,
  behind: 0,
  oldestWaitingSince: null,
  isSecretReadable: true,
}

const ISSUED: IssuedWebhook = { ...WEBHOOK_EXAMPLE, secret: 'whsec_ZXhhbXBsZSBleGFtcGxlIGV4YW1wbGUgZXhhbXBsZSE=' }

const one = (description: string) => ({ description, data: WebhookView, example: { data: WEBHOOK_EXAMPLE } })

export const webhookDocs = {
  listWebhooks: {
    tag,
    description: 'Oldest first, without their secrets.',
    responses: {
      200: {
        description: 'The webhooks of the team.',
        data: z.array(WebhookView),
        example: { data: [WEBHOOK_EXAMPLE] },
      },
    },
  },
  createWebhook: {
    tag,
    description:
      'Events are sent from now on: signed by Standard Webhooks, again after a failure, for about three days, or in strict order until they succeed or the webhook is disabled. The first webhook switches the [event feed](/docs/events) on. The secret is only in this response. A team may have 20 webhooks.',
    responses: {
      201: {
        description: 'The new webhook, with its secret.',
        data: IssuedWebhook,
        headers: ['Location'],
        example: { data: ISSUED },
      },
    },
    errors: ['conflict'],
    example: {
      url: 'https://www.example.com/webhooks',
      types: ['process.created', 'process.updated'],
      description: 'Tells the warehouse',
    } satisfies z.input<typeof NewWebhook>,
  },
  getWebhook: {
    tag,
    description: 'Without its secret; with the reason, if the service has disabled it.',
    responses: { 200: one('The webhook.') },
    errors: ['not_found'],
  },
  updateWebhook: {
    tag,
    description:
      'Only the fields that are sent are changed. `"enabled": true` also resumes a webhook that the service has disabled: what happened meanwhile is sent, as far back as the feed goes.',
    responses: { 200: one('The updated webhook.') },
    errors: ['not_found', 'conflict'],
    example: { enabled: true },
  },
  deleteWebhook: {
    tag,
    description: 'Nothing more is sent to it. The event feed stays as it is.',
    responses: { 200: one('The deleted webhook.') },
    errors: ['not_found', 'conflict'],
  },
  rotateWebhookSecret: {
    tag,
    description:
      'For `overlapSeconds`, a day by default, each request has two signatures, of the new secret and of the old one: give your receivers the new one meanwhile. A second rotation in this time is refused, unless it ends both secrets at once.',
    responses: {
      200: {
        description: 'The webhook, with its new secret.',
        data: IssuedWebhook,
        example: { data: { ...ISSUED, previousSecretUntil: 1795362606000 } },
      },
    },
    errors: ['not_found', 'conflict'],
    example: { overlapSeconds: 3600 },
  },
} satisfies Record<string, RouteDocs>

export const webhookEventDocs: DocsByType<typeof webhookEvents> = {
  'webhook.disabled': {
    description: 'The service has disabled a webhook.',
    sequence: 5_029,
    data: {
      id: WEBHOOK_SNAPSHOT_EXAMPLE.id,
      webhook: {
        ...WEBHOOK_SNAPSHOT_EXAMPLE,
        enabled: false,
        disabledAt: 1795276206000,
        disabledReason: 'gone',
      },
    },
    by: NOBODY_EXAMPLE,
  },
}
