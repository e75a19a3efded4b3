import { z } from 'zod'
import type { Explained } from './explained.ts'

/** The message that the error is about. */
export const MESSAGE = {
  messageId: z.string().describe('The message; it can be fetched and sent again.'),
  deliveryStatus: z.string().describe('Its delivery status.'),
}
const PROVIDER = {
  ...MESSAGE,
  providerCode: z.int().describe("The provider's code of the error."),
  title: z.string().describe("The provider's title of the error."),
  details: z.string().describe("The provider's description."),
  advice: z.string().describe('What to do.'),
  class: z
    .string()
    .describe(
      'What it means for sending: `retry`: a new message may succeed; `stop-entry`: this one cannot; `stop-sender`: the phone number is stopped; `stop-plugin`: the plugin is.',
    ),
  retryAfterSeconds: z.int().describe('How long to wait before a new message.'),
}

/** Of a request that does not fit its template. */
export const OF_TEMPLATE = {
  languages: z.array(z.string()).describe('The languages in which the template exists.'),
  status: z.string().describe('The status of the template at the provider.'),
  statusReason: z.string().describe('Why the provider rejected or paused the template.'),
  wants: z.looseObject({}).describe('The values that the template needs.'),
}

/** The errors of messages: those that are not handed to the provider, and those that are. */
export const PROVIDER_ERRORS = {
  no_phone_number: {
    title: 'No phone number',
    cause: "Neither the procedure's phone attribute nor the record of the process has a phone number.",
    remedy: 'Set the phone attribute of the process, or send to a phone number directly.',
    retry: 'no',
    example: { message: 'the process has no phone number' },
  },
  plugin_stopped: {
    title: 'The plugin is stopped',
    cause:
      'The provider refuses all messages of this plugin, or all from this phone number: then `whatsappPhoneNumberId` names it, and the other numbers can send. The error message has the reason.',
    remedy: 'Correct the account at the provider, then call `PUT /v1/ext/plugin/whatsapp/<pluginId>`.',
    retry: 'no',
    example: {
      message: 'the plugin is stopped: the access token has expired',
      path: '/path/pluginId',
      detail: { plugin: '01935c1e-5a00-700a-8a9b-7c8d9eafb0c1', stoppedAt: 1795276206000 },
    },
    detail: {
      plugin: z.string().describe('The id of the plugin.'),
      stoppedAt: z.int().describe('Since when, in epoch milliseconds.'),
      whatsappPhoneNumberId: z.string().describe('The phone number, if only that is stopped.'),
    },
  },
  opted_out: {
    title: 'The customer asked not to be written to',
    cause:
      'The provider refused an earlier message to this phone number with code 131050: its owner does not want messages. The team remembers that, and the message was not attempted. `messageId` is the earlier message.',
    remedy:
      'Take the number off your lists. If the customer has agreed to messages again, `DELETE /v1/ext/opt-out/<phoneNumber>` lets you send.',
    retry: 'no',
    example: {
      message: '919448300007 asked not to be written to',
      hint: 'if the customer has agreed again: DELETE /v1/ext/opt-out/919448300007',
      detail: {
        phoneNumber: '919448300007',
        since: 1795276206000,
        messageId: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1',
      },
    },
    detail: {
      phoneNumber: z.string().describe('The phone number.'),
      since: z.int().describe('Since when, in epoch milliseconds.'),
      messageId: z.string().describe('The message that the provider refused.'),
    },
  },
  provider_refused: {
    title: 'The messaging provider refused the message',
    cause: 'The provider refused the message. The error has its code, its description and advice.',
    remedy:
      'Follow the advice. The message is FAILED and is not sent again automatically. If `class` is `retry`, a new message may succeed after `retry-after` seconds.',
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
    title: 'The messaging provider did not respond in time',
    cause:
      'The message was handed to the provider, which did not respond. It may have been sent: its status is UNKNOWN.',
    remedy:
      "Do not send a new message: the provider's report settles this one, usually within minutes. Fetch the message to see its status.",
    retry: 'with an idempotency key',
    example: {
      message:
        'the provider did not respond in time: whether message 01935c1e-5a00-700c-8a9b-7c8d9eafb0c1 was sent is not known yet',
      hint: 'it is not sent again automatically; GET /v1/ext/message/01935c1e-5a00-700c-8a9b-7c8d9eafb0c1 shows its status when it arrives',
      detail: { messageId: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1', deliveryStatus: 'UNKNOWN' },
    },
    headers: ['Idempotency-Replayed'],
    detail: PROVIDER,
  },
  provider_unavailable: {
    title: 'The messaging provider is unavailable',
    cause: 'The provider cannot be reached, or its response could not be read.',
    remedy:
      'Fetch the message. If its status is FAILED, it was not sent: try again later. If it is UNKNOWN, it may have been sent.',
    retry: 'with an idempotency key',
    example: {
      message:
        'the provider or the way to it failed: whether message 01935c1e-5a00-700c-8a9b-7c8d9eafb0c1 was sent is not known yet',
      hint: 'it is not sent again automatically; GET /v1/ext/message/01935c1e-5a00-700c-8a9b-7c8d9eafb0c1 shows its status when it arrives',
      detail: { messageId: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1', deliveryStatus: 'UNKNOWN' },
    },
    headers: ['Idempotency-Replayed'],
    detail: PROVIDER,
  },
} as const satisfies Record<string, Explained>
