import type { BulkOptions } from './bulk.ts'
import type { Call, CallOptions } from './call/call.ts'
import { sleep } from './call/sleep.ts'
import type {
  BulkSendTemplateMessageBody,
  CountMessagesQuery,
  ListMessagesQuery,
  SendProviderMessageBody,
  SendTemplateMessageForProcessBody,
} from './generated/bodies.ts'
import type { Operations } from './generated/operations.ts'
import type { Message, MessageCount, OptOut, StoredMessage } from './generated/shapes.ts'
import { createJobsClient, type Job, toDryRunQuery, toJob } from './jobs.ts'
import { type Pages, type Paging, paginate } from './pages.ts'
import { loadPlan, type Plan, type PlanOptions } from './plan.ts'

export type Template = SendTemplateMessageForProcessBody

/** A phone number (country code, digits only), or the customer of a process: by id, or with the procedure by id or primary key. */
export type Recipient = { phoneNumber: string } | { process: string; procedure?: string | undefined }

export interface Messages {
  /**
   * Resolves when the provider has accepted the message. `provider_timeout` and `provider_unavailable` mean that the
   * result is unknown: the message is not sent again automatically. The error's `messageId` is its id.
   */
  send: (plugin: string, to: Recipient, template: Template, options?: CallOptions) => Promise<Message>
  /** Sends one message for each process, as a job. Each is handed to the provider at most once. */
  sendMany: (
    plugin: string,
    procedure: string,
    body: BulkSendTemplateMessageBody,
    options?: BulkOptions,
  ) => Promise<Job>
  /**
   * Makes a dry run of `sendMany`, with recipients and texts. Resolves when it has ended; nothing is sent before
   * `apply`.
   */
  planMany: (
    plugin: string,
    procedure: string,
    body: BulkSendTemplateMessageBody,
    options?: PlanOptions,
  ) => Promise<Plan>
  /** A message in the provider's format. The number is sent as digits, and `biz_opaque_callback_data` is added. */
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
  /** Counts messages, for example by status and day. All pages are added up. */
  counts: (query?: CountMessagesQuery, options?: CallOptions) => Promise<MessageCount[]>
  /** The numbers that asked not to be written to, in the order of the numbers. */
  optOuts: (query?: Paging, options?: CallOptions) => Pages<OptOut>
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

export function createMessagesClient(call: Call): Messages {
  const get: Messages['get'] = async (id, options) =>
    (await call('getMessage', { path: { messageId: id } }, options)).data
  const sendMany: Messages['sendMany'] = async (plugin, procedure, body, { dryRun, ...options } = {}) => {
    const path = { pluginId: plugin, procedureShortId: procedure }
    return toJob(await call('bulkSendTemplateMessage', { path, body, query: toDryRunQuery(dryRun) }, options))
  }
  return {
    async send(plugin, to, body, options) {
      const { data } = await sendTemplate(call, plugin, to, body, options)
      return data
    },
    sendMany,
    async planMany(plugin, procedure, body, { onProgress, ...options } = {}) {
      const { id } = await sendMany(plugin, procedure, body, { ...options, dryRun: true })
      return loadPlan(createJobsClient(call), id, { ...options, onProgress })
    },
    async sendOfProvider({ plugin, phoneNumberId, version }, body, options) {
      const path = { pluginId: plugin, phoneNumberId, version }
      return (await call('sendProviderMessage', { path, body }, options)).data
    },
    get,
    wait: (id, options) => waitForMessage(get, id, options),
    list: ({ skip, limit: all, pageSize, ...filter }, options) =>
      paginate<StoredMessage>({ limit: all, pageSize }, (limit, cursor) => {
        const from = cursor === undefined ? { skip } : { cursor }
        return call('listMessages', { query: { ...filter, limit, ...from } }, options)
      }),
    counts: (query = {}, options) => countMessages(call, query, options),
    optOuts: (query = {}, options) =>
      paginate<OptOut>(query, (limit, cursor) => call('listOptOuts', { query: { cursor, limit } }, options)),
    removeOptOut: async (phoneNumber, options) => (await call('removeOptOut', { path: { phoneNumber } }, options)).data,
    download: async (id, options) => (await call('downloadMessageMedia', { path: { messageId: id } }, options)).data,
    resend: async (id, options) => (await call('resendMessage', { path: { messageId: id } }, options)).data,
    async upload(plugin, file, name, options) {
      const body = new FormData()
      body.append('file', file, name)
      return (await call('uploadPublicMedia', { path: { pluginId: plugin }, body }, options)).data
    },
  }
}

function sendTemplate(call: Call, pluginId: string, to: Recipient, body: Template, options?: CallOptions) {
  if ('phoneNumber' in to)
    return call('sendTemplateMessageToPhone', { path: { pluginId, phoneNumber: to.phoneNumber }, body }, options)
  const { process, procedure } = to
  if (procedure === undefined)
    return call('sendTemplateMessageForProcessId', { path: { pluginId, processId: process }, body }, options)
  const path = { pluginId, procedureShortId: procedure, processIdOrKey: process }
  return call('sendTemplateMessageForProcess', { path, body }, options)
}

/** A response may end before all are counted: its figures and those of the next ones are added up. */
export async function countMessages(
  call: Call,
  query: CountMessagesQuery,
  options?: CallOptions,
): Promise<MessageCount[]> {
  const sums = new Map<string, MessageCount>()
  let cursor = query.cursor
  do {
    const { data, meta } = await call('countMessages', { query: { ...query, cursor } }, options)
    for (const { count, ...group } of data) {
      const key = JSON.stringify(group)
      sums.set(key, { ...group, count: count + (sums.get(key)?.count ?? 0) })
    }
    cursor = meta.next ?? undefined
  } while (cursor !== undefined)
  // Each page has the newest messages that are not counted yet, and its days in their order.
  return [...sums.values()].sort((one, other) => (one.day ?? '').localeCompare(other.day ?? ''))
}

/** The delivery statuses that `wait` can wait for, in order. */
const STEPS = ['SENT', 'DELIVERED', 'READ'] as const

export interface MessageWaitOptions {
  /** The default is DELIVERED. A READ message was delivered, too. */
  until?: (typeof STEPS)[number] | undefined
  signal?: AbortSignal | undefined
  /** The time after which `wait` throws; the message is not affected. Some messages are never read. */
  timeoutMs?: number | undefined
}

const PAUSE_MS = 500
const PAUSE_MS_MAX = 10_000

/** Polls the message with growing pauses until it has reached the status or has failed. */
async function waitForMessage(
  get: Messages['get'],
  id: string,
  { until = 'DELIVERED', signal, timeoutMs }: MessageWaitOptions = {},
): Promise<StoredMessage> {
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const ended = AbortSignal.any([signal, late].filter(each => each !== undefined))
  const enough: readonly string[] = [...STEPS.slice(STEPS.indexOf(until)), 'FAILED']
  try {
    for (let pause = PAUSE_MS; ; pause = Math.min(PAUSE_MS_MAX, pause * 1.5)) {
      const message = await get(id, { signal: ended })
      if (enough.includes(message.deliveryStatus)) return message
      await sleep(pause, ended)
    }
  } catch (error) {
    throw ended.aborted ? ended.reason : error
  }
}
