import * as z from 'zod'
import type { RouteDocs } from '../../http/openapi/route-docs.ts'
import { HAS_MORE, NEXT_CURSOR } from '../../http/request/paging.ts'
import { DELIVERY_STATE, DeliveryView, type Replay, ReplayView, TestDelivery } from './schema.ts'

const tag = 'Webhooks'

const EXAMPLE: DeliveryView = {
  event: 'evt_1c2d3e4f5a6b_23_mhc3v0a4',
  sequence: 23,
  type: 'process.updated',
  attempt: 1,
  isDelivered: false,
  at: 1795276206000,
  ms: 212,
  status: 503,
  error: null,
  response: 'try again later',
  nextAttemptAt: 1795276211000,
}

export const deliveryDocs = {
  listWebhookDeliveries: {
    tag,
    description:
      'Attempts, newest first: status, time, start of the response, and when the event is sent again. `_meta` says how far the webhook is. With `event`, only those of one event, back to the time when it happened. A page may have fewer attempts than `limit`, or none, and a next page.',
    responses: {
      200: {
        description: 'One page of attempts.',
        data: z.array(DeliveryView),
        meta: { hasMore: HAS_MORE, next: NEXT_CURSOR, ...DELIVERY_STATE },
        example: {
          data: [EXAMPLE],
          meta: {
            hasMore: false,
            next: null,
            latest: 23,
            position: 22,
            waiting: 1,
            failingSince: 1795276206000,
            heldUntil: null,
          },
        },
      },
    },
    errors: ['not_found', 'invalid_request'],
  },
  testWebhook: {
    tag,
    description:
      'Sends a signed event of the type `webhook.test` at once, also to a webhook that is not enabled, and returns what came back. The event has no number, is sent once, and stands neither in the feed nor among the deliveries.',
    responses: {
      200: {
        description: 'What came back.',
        data: TestDelivery,
        example: {
          data: {
            event: 'evt_test_01935c1e-5a00-7012-8a9b-7c8d9eafb0c1',
            isDelivered: true,
            status: 204,
            ms: 87,
            error: null,
            response: '',
          },
        },
      },
    },
    errors: ['not_found', 'conflict', 'maintenance'],
  },
  replayWebhook: {
    tag,
    description:
      'Sends events once more, whatever became of them: a range of numbers, or up to 100 ids. They have the ids that they had, so that a receiver knows what it has seen. Events that the feed does not have any more are refused with `sequence_expired`, which names the oldest one that is kept.',
    responses: {
      202: {
        description: 'What is sent again.',
        data: ReplayView,
        example: { data: { id: '01935c1e-5a00-7011-8a9b-7c8d9eafb0c1', from: 20, to: 23, events: 4 } },
      },
    },
    errors: ['not_found', 'conflict', 'sequence_expired'],
    example: { from: 20, to: 23 } satisfies z.input<typeof Replay>,
  },
} satisfies Record<string, RouteDocs>
