import * as z from 'zod'
import { WEBHOOK_EXAMPLE, WebhookView } from '../feed/webhook-events.ts'
import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { IssuedWebhook, type NewWebhook } from './schema.ts'

const tag = 'Webhooks'

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
      'Events are sent from now on: signed by Standard Webhooks, again after a failure, for a day. The first webhook switches the [event feed](/docs/events) on. The secret is only in this response. A team may have 20 webhooks.',
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
