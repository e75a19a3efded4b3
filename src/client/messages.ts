import type { Call, CallOptions } from './call/call.ts'
import type {
  BulkSendTemplateMessageBody,
  CountMessagesQuery,
  ListMessagesQuery,
  SendProviderMessageBody,
  SendTemplateMessageForProcessBody,
} from './generated/bodies.ts'
import type { Operations } from './generated/operations.ts'
import type { Message, MessageCount, StoredMessage } from './generated/shapes.ts'
import { type Job, jobOf } from './jobs.ts'
import { type Pages, type Paging, pagesOf } from './pages.ts'
import { countMessages } from './usage/count-messages.ts'
import { type MessageWaitOptions, waitForMessage } from './wait-message.ts'

export type Template = SendTemplateMessageForProcessBody

/** A phone number (country code, digits only), or the customer of a process: by id, or with the procedure by id or primary key. */
export type Recipient = { phoneNumber: string } | { process: string; procedure?: string | undefined }

export interface Messages {
  /**
   * Resolves when the provider has accepted the message. `provider_timeout` and `provider_unavailable` mean that the
   * result is unknown: the message is not sent again automatically. The error's `messageId` is its id.
   */
  send: (plugin: string, to: Recipient, template: Template, options?: CallOptions) => Promise<Message>
  /** One message for each process, as a job. Each is handed to the provider at most once. */
  sendMany: (
    plugin: string,
    procedure: string,
    body: BulkSendTemplateMessageBody,
    options?: CallOptions,
  ) => Promise<Job>
  /** A message in the provider's format, sent unchanged. */
  sendOfProvider: (
    sender: { plugin: string; phoneNumberId: string; version: string },
    body: SendProviderMessageBody,
    options?: CallOptions,
  ) => Promise<Operations['sendProviderMessage']['data']>
  get: (id: string, options?: CallOptions) => Promise<StoredMessage>
  /** Resolves when the message is SENT, DELIVERED or READ, or has FAILED: check `deliveryStatus`. */
  wait: (id: string, options?: MessageWaitOptions) => Promise<StoredMessage>
  /** The messages of one process or one phone number, newest first; those of a job, in the order of its entries; or those of the team, newest first. */
  list: (query: Omit<ListMessagesQuery, 'limit' | 'cursor'> & Paging, options?: CallOptions) => Pages<StoredMessage>
  /** How many there are, by status and day for example. All pages are added up. */
  counts: (query?: CountMessagesQuery, options?: CallOptions) => Promise<MessageCount[]>
  /** The numbers that asked not to be written to, in the order of the numbers. */
  optOuts: (query?: Paging, options?: CallOptions) => Pages<Operations['listOptOuts']['data'][number]>
  /** The number may be written to again. */
  removeOptOut: (phoneNumber: string, options?: CallOptions) => Promise<Operations['removeOptOut']['data']>
  /** The file of an INBOUND message, as it comes: the provider has it, for thirty days. */
  download: (id: string, options?: CallOptions) => Promise<ReadableStream<Uint8Array>>
  /** Sends a FAILED or UNKNOWN message again. */
  resend: (id: string, options?: CallOptions) => Promise<Message>
  /** Uploads a file for messages. Anyone who has its address can download it. */
  upload: (
    plugin: string,
    file: Blob,
    name: string,
    options?: CallOptions,
  ) => Promise<Operations['uploadPublicMedia']['data']>
}

const getOf =
  (call: Call): Messages['get'] =>
  async (id, options) =>
    (await call('getMessage', { path: { messageId: id } }, options)).data

export const messagesOf = (call: Call): Messages => ({
  async send(plugin, to, body, options) {
    const { data } = await sending(call, plugin, to, body, options)
    return data
  },
  async sendMany(plugin, procedure, body, options) {
    const path = { pluginId: plugin, procedureShortId: procedure }
    return jobOf(await call('bulkSendTemplateMessage', { path, body }, options))
  },
  async sendOfProvider({ plugin, phoneNumberId, version }, body, options) {
    const path = { pluginId: plugin, phoneNumberId, version }
    return (await call('sendProviderMessage', { path, body }, options)).data
  },
  get: getOf(call),
  wait: (id, options) => waitForMessage(getOf(call), id, options),
  list: ({ skip, limit: all, pageSize, ...filter }, options) =>
    pagesOf<StoredMessage, string>({ limit: all, pageSize }, async (limit, cursor) => {
      const from = cursor === undefined ? { skip } : { cursor }
      const query = { ...filter, limit, ...from }
      const { data, meta } = await call('listMessages', { query }, options)
      return { items: data, next: meta.next ?? undefined }
    }),
  counts: (query = {}, options) => countMessages(call, query, options),
  optOuts: (query = {}, options) =>
    pagesOf<Operations['listOptOuts']['data'][number], string>(query, async (limit, cursor) => {
      const { data, meta } = await call('listOptOuts', { query: { cursor, limit } }, options)
      return { items: data, next: meta.next ?? undefined }
    }),
  removeOptOut: async (phoneNumber, options) => (await call('removeOptOut', { path: { phoneNumber } }, options)).data,
  download: async (id, options) => (await call('downloadMessageMedia', { path: { messageId: id } }, options)).data,
  resend: async (id, options) => (await call('resendMessage', { path: { messageId: id } }, options)).data,
  async upload(plugin, file, name, options) {
    const body = new FormData()
    body.append('file', file, name)
    return (await call('uploadPublicMedia', { path: { pluginId: plugin }, body }, options)).data
  },
})

function sending(call: Call, pluginId: string, to: Recipient, body: Template, options?: CallOptions) {
  if ('phoneNumber' in to)
    return call('sendTemplateMessageToPhone', { path: { pluginId, phoneNumber: to.phoneNumber }, body }, options)
  const { process, procedure } = to
  if (procedure === undefined)
    return call('sendTemplateMessageForProcessId', { path: { pluginId, processId: process }, body }, options)
  const path = { pluginId, procedureShortId: procedure, processIdOrKey: process }
  return call('sendTemplateMessageForProcess', { path, body }, options)
}
