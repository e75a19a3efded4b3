import * as z from 'zod'
import type { RouteDocs } from '../../http/openapi/route-docs.ts'

const tag = 'Messages'

export const providerReportDocs = {
  verifyWebhook: {
    tag,
    description: 'The provider calls this when the webhook is registered.',
    queryExample: {
      'hub.mode': 'subscribe',
      'hub.verify_token': 'my-verify-token',
      'hub.challenge': '1158201444',
    },
    responses: {
      200: {
        description: 'The challenge of the request.',
        content: { 'text/plain': { schema: z.string(), example: '1158201444' } },
      },
    },
    errors: ['not_found', 'permission_denied', 'invalid_request', 'rate_limited'],
  },
  receiveWebhook: {
    tag,
    description:
      'The delivery statuses of messages, what customers write, and changes of templates. The provider signs the raw body (`x-hub-signature-256`). Duplicates and reordering are harmless.',
    responses: { 200: { description: 'Received.', data: z.object({}), example: { data: {} } } },
    errors: ['malformed_json', 'unauthenticated', 'not_found', 'request_too_large', 'rate_limited'],
    body: {
      contentType: 'application/json',
      schema: z.looseObject({
        object: z.string().meta({ description: 'The kind of webhook.', examples: ['whatsapp_business_account'] }),
        entry: z
          .array(z.looseObject({}))
          .meta({ description: "The changes, in the provider's format.", examples: [[{ id: '102290129340398' }]] }),
      }),
      lenient: true,
    },
    example: {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '102290129340398',
          changes: [
            {
              field: 'messages',
              value: {
                messaging_product: 'whatsapp',
                statuses: [
                  {
                    id: 'wamid.HBgMOTE5NDQ4MzAwMDA3FQIAERgS',
                    status: 'delivered',
                    timestamp: '1795276207',
                    biz_opaque_callback_data: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1',
                  },
                ],
              },
            },
          ],
        },
      ],
    },
  },
} satisfies Record<string, RouteDocs>
