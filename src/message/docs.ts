import * as z from 'zod'
import type { ErrorCode } from '../errors.ts'
import { type DocsByType, NOBODY_EXAMPLE } from '../event/docs.ts'
import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { HAS_MORE, NEXT_CURSOR } from '../http/request/paging.ts'
import { Id } from '../http/shapes.ts'
import type { messageEvents } from './events.ts'
import { MessageView, type PassThrough, StoredMessageView } from './schema.ts'
import type { SendTemplate } from './send/schema.ts'

const tag = 'Messages'

const EXAMPLE: MessageView = {
  id: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1',
  createdAt: 1795276206000,
  updatedAt: 1795276206300,
  externalId: 'wamid.HBgMOTE5NDQ4MzAwMDA3FQIAERgS',
  provider: 'WHATSAPP',
  dataType: 'text',
  body: { body: 'Hi Asha, order A17 is on its way.' },
  text: 'Hi Asha, order A17 is on its way.',
  attachments: null,
  deliveryStatus: 'SENT',
  direction: 'OUTBOUND',
  timestamp: 1795276206000,
  context: { contactIdentifier: '919448300007', messageTemplateId: '01935c1e-5a00-700b-8a9b-7c8d9eafb0c1' },
  adhocAgent: null,
  source: { sourceId: '01935c1e-5a00-7002-a1b2-c3d4e5f60718', sourceType: 'API' },
  team: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b',
  chat: null,
  contact: null,
  procedure: null,
  campaign: null,
  inReplyTo: null,
  plugin: '01935c1e-5a00-700a-8a9b-7c8d9eafb0c1',
  user: '01935c1e-5a00-7005-9d7e-4f5a6b7c8d9e',
  process: '01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f',
}
export const STORED_MESSAGE_EXAMPLE: StoredMessageView = {
  ...EXAMPLE,
  record: null,
  profileName: null,
  content: null,
  whatsappPhoneNumberId: '200000000000001',
  error: null,
  resendOf: null,
  resentAs: null,
  history: [
    { status: 'PENDING', at: 1795276206000, timestamp: null, source: 'REQUEST' },
    { status: 'SENT', at: 1795276206300, timestamp: null, source: 'PROVIDER' },
  ],
}

export const RECEIVED_MESSAGE_EXAMPLE: StoredMessageView = {
  ...STORED_MESSAGE_EXAMPLE,
  id: '01935c1e-5a00-7011-8a9b-7c8d9eafb0c1',
  externalId: 'wamid.HBgMOTE5NDQ4MzAwMDA3FQIAEhgg',
  body: { body: 'Thank you!' },
  text: 'Thank you!',
  deliveryStatus: 'DELIVERED',
  direction: 'INBOUND',
  context: { contactIdentifier: '919448300007', messageTemplateId: null },
  source: { sourceId: '01935c1e-5a00-700a-8a9b-7c8d9eafb0c1', sourceType: 'PLUGIN' },
  inReplyTo: EXAMPLE.id,
  user: null,
  record: '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d',
  profileName: 'Asha',
  history: [],
}

/** That of `getMedia`. */
const ADDRESS =
  'https://caseworker.example/media/01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b/2026-11-21/01935c1e-5a00-700d-8a9b-7c8d9eafb0c1.pdf'

const TEMPLATE = {
  whatsappPhoneNumberId: '200000000000001',
  templateName: 'order_update',
  language: 'en_US',
  mapping: [
    { schemaPropertyName: '1', schemaPropertyValue: 'Asha' },
    { schemaPropertyName: '2', schemaPropertyValue: 'A17' },
  ],
} satisfies z.input<typeof SendTemplate>

const SENDING = [
  'not_found',
  'conflict',
  'plugin_stopped',
  'opted_out',
  'provider_refused',
  'provider_timeout',
  'provider_unavailable',
] as const satisfies readonly ErrorCode[]

const WHAT_IT_IS_WORTH =
  '200 means that the provider accepted the message; see [messages](/docs/messages) for the other responses. The request is validated against the template before anything is sent.'

const sent = { 200: { description: 'The message, sent.', data: MessageView, example: { data: EXAMPLE } } }

const describeSend = (description: string, errors: readonly ErrorCode[] = []): RouteDocs => ({
  tag,
  description: `${description}\n\n${WHAT_IT_IS_WORTH}`,
  responses: sent,
  errors: [...SENDING, ...errors],
  example: TEMPLATE,
})

const FILE_HEADERS = ['ETag', 'Accept-Ranges'] as const

export const messageDocs = {
  sendTemplateMessageToPhoneOfProcessPath: describeSend('The same as the path without `/process`.'),
  sendTemplateMessageToPhone: describeSend('The phone number has the country code and digits only.'),
  sendTemplateMessageForProcess: describeSend(
    "The message goes to the procedure's phone attribute, or, if that is not set, to the phone number of the record.",
    ['no_phone_number'],
  ),
  sendTemplateMessageForProcessId: describeSend('The same, without the procedure in the path.', ['no_phone_number']),
  sendProviderMessage: {
    tag,
    description:
      "The body is in the provider's format, and is sent with the phone number in digits, and with the id of the message as `biz_opaque_callback_data`. The rest is unchanged. The message is stored like any other.",
    responses: {
      200: {
        description: "The provider's id of the message, and its id in Caseworker.",
        data: z.object({
          whatsappMessageId: z.string().nullable().describe("The provider's id of the message."),
          id: Id.describe('The id of the message here.'),
        }),
        example: { data: { whatsappMessageId: EXAMPLE.externalId, id: EXAMPLE.id } },
      },
    },
    errors: SENDING,
    example: {
      messaging_product: 'whatsapp',
      to: '919448300007',
      type: 'text',
      text: { body: 'Hello' },
    } satisfies z.input<typeof PassThrough>,
  },
  resendMessage: {
    tag,
    description:
      'Creates a new message, linked by `resendOf`. Only a FAILED or UNKNOWN message can be resent, and only once.',
    responses: sent,
    errors: SENDING,
  },
  getMessage: {
    tag,
    description: 'With its delivery status and history.',
    responses: {
      200: { description: 'The message.', data: StoredMessageView, example: { data: STORED_MESSAGE_EXAMPLE } },
    },
    errors: ['not_found'],
  },
  listMessages: {
    tag,
    queryExample: { phoneNumber: '919448300007' },
    description:
      'The messages of a `process` or of a `phoneNumber`, newest first, or the newest of each entry of a `backgroundJob`, also if a retry sent it, in the order of its entries and by `status`; without any of the three, those of the whole team, newest first, by `status`, `plugin`, `template`, `direction`, `from` and `to`. A list by `status`, or of the whole team, is read in steps: a page may have fewer than `limit`, or none, and a next one. `_meta.next` is the `cursor` of the next page.',
    responses: {
      200: {
        description: 'One page of messages.',
        data: z.array(StoredMessageView),
        meta: { hasMore: HAS_MORE, next: NEXT_CURSOR },
        headers: ['Link'],
        example: { data: [STORED_MESSAGE_EXAMPLE], meta: { hasMore: false, next: null } },
      },
    },
    errors: ['not_found'],
  },
  uploadPublicMedia: {
    tag,
    description:
      'For templates with an image, a video or a document. Anyone who has the address can download the file. The address cannot be guessed and does not change.',
    responses: {
      200: {
        description: 'The address of the file.',
        data: z.object({
          publicMediaUrl: z.string().describe('The address, for `imageUrl`, `videoUrl` or `documentUrl`.'),
        }),
        example: { data: { publicMediaUrl: ADDRESS } },
      },
    },
    errors: ['not_found'],
    body: {
      contentType: 'multipart/form-data',
      schema: z.object({
        file: z
          .string()
          .meta({ format: 'binary', description: 'The bytes of the file.', examples: ['(the bytes of the file)'] }),
        filename: z
          .string()
          .optional()
          .meta({ description: 'Its name. The default is that of the part.', examples: ['offer.pdf'] }),
      }),
    },
    example: { file: '(the bytes of the file)', filename: 'offer.pdf' },
  },
  getMedia: {
    tag,
    description: 'Needs no token, because the provider fetches the file, too.',
    responses: {
      200: { description: 'The file.', headers: FILE_HEADERS, content: { '*/*': { schema: z.string() } } },
      206: {
        description: 'A part of the file.',
        headers: [...FILE_HEADERS, 'Content-Range'],
        content: { '*/*': { schema: z.string() } },
      },
      304: { description: 'Not modified.', headers: FILE_HEADERS },
    },
    headers: ['If-None-Match', 'Range'],
    errors: ['not_found', 'rate_limited'],
  },
} satisfies Record<string, RouteDocs>

export const messageEventDocs: DocsByType<typeof messageEvents> = {
  'message.received': {
    description: 'A customer wrote.',
    sequence: 5_024,
    data: { id: RECEIVED_MESSAGE_EXAMPLE.id, message: RECEIVED_MESSAGE_EXAMPLE },
    by: NOBODY_EXAMPLE,
  },
  'message.status_changed': {
    description: 'A message to a customer got another delivery status.',
    sequence: 5_025,
    data: { id: STORED_MESSAGE_EXAMPLE.id, message: STORED_MESSAGE_EXAMPLE, from: 'PENDING', to: 'SENT' },
    by: NOBODY_EXAMPLE,
  },
}
