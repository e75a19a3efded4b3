import * as z from 'zod'
import {
  isFullPhoneNumber,
  isShortenedNumber,
  normalisePhone,
  PHONE_DIGITS_MAX,
  PHONE_DIGITS_MIN,
} from '../customer-record/identity-rules.ts'
import { Id, Time } from '../http/shapes.ts'
import { GraphVersion, PluginPath } from '../plugin/schema.ts'
import { ProcedurePath } from '../procedure/schema.ts'
import { ProcessPath } from '../process/schema.ts'
import { DELIVERY_STATUSES } from './rules.ts'

const DIGITS = `${PHONE_DIGITS_MIN} to ${PHONE_DIGITS_MAX} digits and nothing else`
const FORM = `must be a full phone number with its country code: ${DIGITS}`

/**
 * Digits only; where that is all that is wrong, the digits are the hint. A number without its country code would be that of
 * somebody else, or of somebody who does not want messages and has opted out with it.
 */
export const PhoneNumber = z.string().superRefine((value, ctx) => {
  const digits = normalisePhone(value) ?? ''
  const isLikely = isFullPhoneNumber(digits)
  if (isLikely && digits === value) return
  ctx.addIssue({
    code: 'custom',
    message: `${FORM}${nameMistake(value, digits)}`,
    ...(isLikely && !/\p{L}/u.test(value) ? { params: { hint: digits } } : {}),
  })
})

function nameMistake(value: string, digits: string): string {
  if (isShortenedNumber(value)) return '; this one looks shortened by a spreadsheet'
  return digits.startsWith('0') ? '; no country code begins with 0' : ''
}

export const SendToPhonePath = z.object({
  ...PluginPath.shape,
  phoneNumber: PhoneNumber.meta({ description: 'With the country code, digits only.', examples: ['919448300007'] }),
})
export const SendForProcessPath = z.object({
  ...PluginPath.shape,
  ...ProcedurePath.shape,
  processIdOrKey: z
    .string()
    .meta({ description: 'The id of the process or its primary key.', examples: ['LEAD-000001'] }),
})
export const SendForProcessIdPath = z.object({ ...PluginPath.shape, processId: ProcessPath.shape.processId })

export const PassThroughPath = z.object({
  ...PluginPath.shape,
  version: GraphVersion,
  phoneNumberId: z.string().meta({ description: 'The id of the sending number.', examples: ['200000000000001'] }),
})

/**
 * A body of the provider's own interface. Only what is kept of it is looked at; the provider judges the rest. The callback
 * data is ours: it carries the id of the message, by which reports find it.
 */
export const PassThrough = z.looseObject({
  messaging_product: z.literal('whatsapp').meta({ description: 'Always `whatsapp`.', examples: ['whatsapp'] }),
  to: z
    .string()
    .regex(/^\+?[\d\s()./-]+$/, { error: 'must be a phone number', abort: true })
    .refine(to => isFullPhoneNumber(normalisePhone(to) ?? ''), {
      error: 'must be a phone number with its country code, which does not begin with 0',
    })
    .meta({ description: 'The phone number with its country code.', examples: ['919448300007'] }),
  type: z
    .string()
    .max(50)
    .default('text')
    .meta({
      description: "The provider's type of message. A field of the same name has the content.",
      examples: ['text'],
    }),
  biz_opaque_callback_data: z
    .never({ error: 'is not taken: this service sets it to the id of the message, which the response has' })
    .optional()
    .meta({ description: 'Not taken: it is set to the id of the message.' }),
})
export type PassThrough = z.output<typeof PassThrough>

export const MessagePath = z.object({
  messageId: z
    .string()
    .meta({ description: 'The id of the message.', examples: ['01935c1e-5a00-700c-8a9b-7c8d9eafb0c1'] }),
})

const NotHere = z.null().describe('Always null. It is there for clients of the hosted product.')

export const MessageView = z
  .object({
    id: Id.describe('The id of the message.'),
    createdAt: Time,
    updatedAt: Time,
    externalId: z.string().nullable().meta({ description: "The provider's id of the message; null until it has one." }),
    provider: z.literal('WHATSAPP').describe('The messaging provider.'),
    dataType: z.string().describe('The type of its content, such as `text` or `image`.'),
    body: z
      .object({ body: z.string().describe('The same as `text`.') })
      .describe('The text in the form of the hosted product.'),
    text: z.string().meta({ description: 'The text as the customer reads it.' }),
    attachments: NotHere,
    deliveryStatus: z
      .enum(DELIVERY_STATUSES)
      .describe('How far the message got. UNKNOWN: the provider was called, and its response did not arrive.'),
    direction: z.literal('OUTBOUND').describe('Always `OUTBOUND`: to a customer.'),
    timestamp: Time,
    context: z
      .object({
        contactIdentifier: z.string().describe('The phone number that it was sent to.'),
        messageTemplateId: Id.nullable().describe('The id of the template; null without one.'),
      })
      .describe('Recipient and template.'),
    adhocAgent: NotHere,
    source: z
      .object({
        sourceId: z.string().describe('The id of the API key or session, or of the job.'),
        sourceType: z.enum(['API', 'BACKGROUND_JOB']).describe('Which of the two.'),
      })
      .meta({ description: 'The API key or the job that sent it.' }),
    team: Id.describe('The id of the team.'),
    chat: NotHere,
    contact: NotHere,
    procedure: NotHere,
    campaign: NotHere,
    inReplyTo: NotHere,
    plugin: Id.describe('The id of the plugin.'),
    user: Id.describe('The id of the user who sent it.'),
    process: Id.nullable().describe('The id of the process that it is about; null if there is none.'),
  })
  .meta({ id: 'Message' })
export type MessageView = z.infer<typeof MessageView>

const Attachment = z.object({
  id: z.string().describe("The provider's id of the file."),
  type: z.string().describe('What it is: `image`, `video`, `audio`, `document` or `sticker`.'),
  mimeType: z.string().nullable().describe('The media type of the file, as the customer’s phone named it.'),
  filename: z.string().nullable().describe('The name of a document; null without one.'),
  sha256: z.string().nullable().describe("The provider's digest of the file, in base64."),
  path: z.string().describe('The path to download it from.'),
})

/** A stored message, sent or received. */
export const StoredMessageView = z
  .object({
    ...MessageView.shape,
    attachments: z
      .array(Attachment)
      .nullable()
      .describe('The file of an `INBOUND` message; null without one, and of an `OUTBOUND` message.'),
    deliveryStatus: MessageView.shape.deliveryStatus.describe(
      'How far the message got. UNKNOWN: the provider was called, and its response did not arrive. An `INBOUND` message is always DELIVERED.',
    ),
    direction: z.enum(['OUTBOUND', 'INBOUND']).describe('`OUTBOUND`: to a customer. `INBOUND`: a customer wrote it.'),
    timestamp: Time.describe(
      'When it was sent, in epoch milliseconds; of an `INBOUND` message, when the customer wrote it.',
    ),
    context: MessageView.shape.context
      .extend({
        contactIdentifier: z
          .string()
          .describe("The customer's phone number: that it was sent to, or that an `INBOUND` message came from."),
      })
      .describe('Customer and template.'),
    source: MessageView.shape.source
      .extend({
        sourceId: z
          .string()
          .describe('The id of the API key or session, of the job, or, of an `INBOUND` message, of the plugin.'),
        sourceType: z.enum(['API', 'BACKGROUND_JOB', 'PLUGIN']).describe('Which of the three.'),
      })
      .meta({ description: 'Where it comes from.' }),
    inReplyTo: Id.nullable().describe(
      'Of an `INBOUND` message: the message that the customer answers or reacts to, where that is stored here; null else.',
    ),
    user: Id.nullable().describe('The id of the user who sent it; null of an `INBOUND` message.'),
    process: Id.nullable().describe(
      'The id of the process that it is about; null if there is none. An `INBOUND` message is about that of the message which it answers, else of the last one that the plugin sent to the number in the seven days before.',
    ),
    record: Id.nullable().describe(
      'Of an `INBOUND` message: the record of the customer who has the number; null if there is none, and of an `OUTBOUND` message.',
    ),
    whatsappPhoneNumberId: z
      .string()
      .describe("The provider's id of the phone number that it was sent from, or that an `INBOUND` message came to."),
    profileName: z
      .string()
      .nullable()
      .describe('Of an `INBOUND` message: the name that the customer goes by on WhatsApp; null without one.'),
    content: z
      .unknown()
      .describe(
        "Of an `INBOUND` message: what the provider tells under the name of `dataType`, in the provider's format: a location, contacts, a button. Null else.",
      ),
    error: z
      .looseObject({ code: z.int().describe("The provider's code of the error.") })
      .nullable()
      .meta({ description: 'The error of the provider, with advice; null without one.' }),
    resendOf: Id.nullable().describe('The message that this one sends again; null if it is the first.'),
    processKey: z
      .string()
      .nullable()
      .exactOptional()
      .describe('In a list by `backgroundJob`: the primary key of its process; null without one.'),
    resentAs: Id.nullable().describe('The message that sent this one again; null if none did.'),
    history: z.array(z.looseObject({})).meta({ description: 'All changes of the delivery status.' }),
  })
  .meta({ id: 'StoredMessage' })
export type StoredMessageView = z.infer<typeof StoredMessageView>
