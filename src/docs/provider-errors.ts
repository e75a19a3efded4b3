import { z } from 'zod'
import type { Explained } from './explained.ts'

/** Which message it is about. */
export const MESSAGE = { messageId: z.string(), deliveryStatus: z.string() }
const PROVIDER = {
  ...MESSAGE,
  providerCode: z.int(),
  title: z.string(),
  details: z.string(),
  advice: z.string(),
  class: z.string(),
  retryAfterSeconds: z.int(),
}

/** What can become of a message that was handed to the provider. */
export const PROVIDER_ERRORS = {
  provider_refused: {
    title: 'The messaging provider refused',
    cause: 'The provider answered, and said no. Its code, its words and our advice are in the fault.',
    remedy:
      'Follow the advice. The message is kept as FAILED and is not sent again by itself. Where `class` is `retry`, a new one may go through after `retry-after` seconds.',
    retry: 'no',
    example: {
      message: 'the provider refused the message: (131026) The message is undeliverable',
      hint: 'the number may not be on WhatsApp; reach the customer another way',
      detail: {
        messageId: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1',
        deliveryStatus: 'FAILED',
        providerCode: 131026,
        title: 'The message is undeliverable',
        details: 'Message undeliverable.',
        advice: 'the number may not be on WhatsApp; reach the customer another way',
        class: 'stop-entry',
      },
    },
    headers: ['Retry-After', 'Idempotency-Replayed'],
    detail: PROVIDER,
  },
  provider_timeout: {
    title: 'The messaging provider did not answer in time',
    cause: 'The message was handed over, and no answer came. It may have been sent: it is kept as UNKNOWN.',
    remedy:
      "Don't send it anew: the provider's own report settles it, usually within minutes. Fetch the message to see.",
    retry: 'with an idempotency key',
    example: {
      message:
        'the provider did not answer in time: whether message 01935c1e-5a00-700c-8a9b-7c8d9eafb0c1 was sent is not known yet',
      hint: 'it is not sent again by itself; GET /v1/ext/message/01935c1e-5a00-700c-8a9b-7c8d9eafb0c1 tells when its status arrives',
      detail: { messageId: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1', deliveryStatus: 'UNKNOWN' },
    },
    headers: ['Idempotency-Replayed'],
    detail: PROVIDER,
  },
  provider_unavailable: {
    title: 'The messaging provider can not be reached',
    cause: 'The provider is down, or answered with something that is not an answer.',
    remedy: 'See in the message whether it may have been sent (UNKNOWN) or was not (FAILED), and try again later.',
    retry: 'with an idempotency key',
    example: {
      message:
        'the provider or the way to it failed: whether message 01935c1e-5a00-700c-8a9b-7c8d9eafb0c1 was sent is not known yet',
      hint: 'it is not sent again by itself; GET /v1/ext/message/01935c1e-5a00-700c-8a9b-7c8d9eafb0c1 tells when its status arrives',
      detail: { messageId: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1', deliveryStatus: 'UNKNOWN' },
    },
    headers: ['Idempotency-Replayed'],
    detail: PROVIDER,
  },
} as const satisfies Record<string, Explained>
