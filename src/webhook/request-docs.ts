import { TeamEventSchema } from '../event-docs.ts'
import type { WebhookDocs } from '../http/openapi/webhooks.ts'

/** The requests that a receiver of a webhook gets. `sign.ts` and `endpoint/attempt.ts` make these headers. */
export const webhookRequestDocs: WebhookDocs = {
  tag: 'Webhooks',
  headers: {
    'webhook-id': {
      description: 'The id of the event: the same in each attempt. What arrives twice has the same one.',
      example: 'evt_1c2d3e4f5a6b_5016_mhc3v0a4',
    },
    'webhook-timestamp': {
      description: 'When this attempt was sent, in epoch seconds. Refuse what is older than five minutes.',
      example: '1795276206',
    },
    'webhook-signature': {
      description:
        '`v1,<base64>`: HMAC-SHA256 of `id.timestamp.body` under the secret, by Standard Webhooks 1.0.0. Two of them, separated by a space, while the secret is rotated.',
      example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    },
    'webhook-sequence': { description: 'The number of the event.', example: '5016' },
    'user-agent': { description: 'Who sends it.', example: 'caseworker-webhooks/1' },
  },
  responses: {
    '2XX': 'The event has arrived. Respond within 15 seconds, and work later.',
    '410': 'The address is gone: the webhook is disabled.',
    default: 'The event has not arrived, and is sent again later. `retry-after` is honoured, for an hour at most.',
  },
  requests: TeamEventSchema.options.map(body => ({
    name: body.shape.type.value,
    description: body.meta()?.description ?? '',
    body,
  })),
}
