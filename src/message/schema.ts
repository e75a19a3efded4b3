import { z } from 'zod'
import { limitQuery, SkipQuery } from '../http/request/paging.ts'
import { Id, Time } from '../http/shapes.ts'
import { GraphVersion, PluginPath } from '../plugin/schema.ts'
import { ProcedurePath } from '../procedure/schema.ts'
import { ProcessPath } from '../process/schema.ts'
import { DELIVERY_STATUSES } from './rules.ts'

export const VALUE_LENGTH_MAX = 2_000
export const MAPPING_LENGTH_MAX = 100
const URL_LENGTH_MAX = 2_000
export const OTP_LENGTH_MAX = 15
const PAGE_LIMIT_DEFAULT = 10
/** A full number with its country code has at most this many digits, and hardly any has fewer than the least. */
const DIGITS = { least: 7, most: 15 }

export const Mapping = z.array(
  z.strictObject({
    schemaPropertyName: z.string().min(1).max(200),
    schemaPropertyValue: z.string().max(VALUE_LENGTH_MAX),
  }),
)
export type Mapping = z.output<typeof Mapping>

const Values = Mapping.max(MAPPING_LENGTH_MAX).default([])
const WebAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(URL_LENGTH_MAX)

const OF_DEGREES = { error: 'must be a number of degrees' }
const Degrees = (max: number) =>
  z
    .union([z.number(), z.string().regex(/^-?\d{1,3}(\.\d+)?$/, OF_DEGREES)], OF_DEGREES)
    .transform(Number)
    .refine(value => Math.abs(value) <= max, { error: `must be from -${max} to ${max} degrees` })

export const SendTemplate = z.strictObject({
  whatsappPhoneNumberId: z.string().min(1).max(32),
  templateName: z.string().min(1).max(512),
  mapping: Values,
  headerMapping: Values,
  buttonMapping: Values,
  language: z.string().min(2).max(20).optional(),
  imageUrl: WebAddress.optional(),
  videoUrl: WebAddress.optional(),
  documentUrl: WebAddress.optional(),
  filename: z.string().min(1).max(240).optional(),
  otpCode: z.string().min(1).max(OTP_LENGTH_MAX).optional(),
  locationLatitude: Degrees(90).optional(),
  locationLongitude: Degrees(180).optional(),
  locationName: z.string().min(1).max(1_000).optional(),
  locationAddress: z.string().min(1).max(1_000).optional(),
})
export type SendTemplate = z.output<typeof SendTemplate>

const digitsOf = (value: string): string => value.replace(/\D/g, '').replace(/^00/, '')

/** Digits only; where that is all that is wrong, the digits are the hint. */
export const PhoneNumber = z.string().superRefine((value, ctx) => {
  const digits = digitsOf(value)
  const isLikely = digits.length >= DIGITS.least && digits.length <= DIGITS.most
  if (isLikely && digits === value) return
  ctx.addIssue({
    code: 'custom',
    message: `must be a full phone number with its country code: ${DIGITS.least} to ${DIGITS.most} digits and nothing else`,
    ...(isLikely ? { params: { hint: digits } } : {}),
  })
})

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
  version: GraphVersion.meta({ description: "The version of the provider's API.", examples: ['v23.0'] }),
  phoneNumberId: z.string().meta({ description: 'The id of the sending number.', examples: ['200000000000001'] }),
})

/** A body of the provider's own interface. Only what is kept of it is looked at; the provider judges the rest. */
export const PassThrough = z.looseObject({
  messaging_product: z.literal('whatsapp'),
  to: z.string().regex(/^\+?[\d\s().-]+$/, { error: 'must be a phone number' }),
  type: z.string().max(50).default('text'),
})
export type PassThrough = z.output<typeof PassThrough>

export const MessagePath = z.object({
  messageId: z
    .string()
    .meta({ description: 'The id of the message.', examples: ['01935c1e-5a00-700c-8a9b-7c8d9eafb0c1'] }),
})

export const ListMessages = z
  .strictObject({
    process: z
      .uuid()
      .transform(id => id.toLowerCase())
      .optional(),
    phoneNumber: PhoneNumber.optional().meta({ examples: ['919448300007'] }),
    backgroundJob: z
      .uuid()
      .transform(id => id.toLowerCase())
      .optional(),
    cursor: z.string().max(100).optional().describe('`_meta.next` of the page before.'),
    skip: SkipQuery,
    limit: limitQuery(PAGE_LIMIT_DEFAULT),
  })
  .refine(
    query => [query.process, query.phoneNumber, query.backgroundJob].filter(each => each !== undefined).length === 1,
    {
      error: 'name either a process, a phoneNumber or a backgroundJob',
    },
  )
export type ListMessages = z.output<typeof ListMessages>

export const MessageView = z
  .object({
    id: Id,
    createdAt: Time,
    updatedAt: Time,
    externalId: z.string().nullable().meta({ description: "The provider's id of the message." }),
    provider: z.literal('WHATSAPP'),
    dataType: z.string(),
    body: z.object({ body: z.string() }),
    text: z.string().meta({ description: 'The text as the customer reads it.' }),
    attachments: z.null(),
    deliveryStatus: z.enum(DELIVERY_STATUSES),
    direction: z.literal('OUTBOUND'),
    timestamp: Time,
    context: z.object({ contactIdentifier: z.string(), messageTemplateId: Id.nullable() }),
    adhocAgent: z.null(),
    source: z
      .object({ sourceId: z.string(), sourceType: z.enum(['API', 'BACKGROUND_JOB']) })
      .meta({ description: 'The API key or the job that sent it.' }),
    team: Id,
    chat: z.null(),
    contact: z.null(),
    procedure: z.null(),
    campaign: z.null(),
    inReplyTo: z.null(),
    plugin: Id,
    user: Id,
    process: Id.nullable(),
  })
  .meta({ id: 'Message' })
export type MessageView = z.infer<typeof MessageView>

export const StoredMessageView = z
  .object({
    ...MessageView.shape,
    whatsappPhoneNumberId: z.string(),
    error: z.looseObject({ code: z.int() }).nullable().meta({ description: 'The error of the provider, with advice.' }),
    resendOf: Id.nullable(),
    resentAs: Id.nullable(),
    history: z.array(z.looseObject({})).meta({ description: 'All changes of the delivery status.' }),
  })
  .meta({ id: 'StoredMessage' })
export type StoredMessageView = z.infer<typeof StoredMessageView>
