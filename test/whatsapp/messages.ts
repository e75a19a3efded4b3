import { z } from 'zod'
import { type Refusal, refusal } from './errors.ts'

const MAX_TEXT = 4_096
const MAX_CALLBACK_DATA = 512
const MAX_PARAMETER = 32_768
const MIN_RECIPIENT = 7
const MAX_RECIPIENT = 15

const lower = <T extends readonly [string, ...string[]]>(words: T) => z.preprocess(lowered, z.enum(words))
const lowered = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value)

const media = z
  .strictObject({
    id: z.string().min(1).optional(),
    link: z.url({ protocol: /^https?$/ }).optional(),
    caption: z.string().optional(),
    filename: z.string().optional(),
  })
  .refine(({ id, link }) => (id === undefined) !== (link === undefined), 'must have one of id and link')

const location = z.strictObject({
  latitude: z.coerce.number().min(-90).max(90),
  longitude: z.coerce.number().min(-180).max(180),
  name: z.string().optional(),
  address: z.string().optional(),
})

const values = {
  text: z.string().max(MAX_PARAMETER),
  currency: z.strictObject({ fallback_value: z.string(), code: z.string().length(3), amount_1000: z.number() }),
  date_time: z.looseObject({ fallback_value: z.string() }),
  image: media,
  video: media,
  document: media,
  location,
  payload: z.string(),
  coupon_code: z.string().min(1),
  action: z.looseObject({}),
  limited_time_offer: z.strictObject({ expiration_time_ms: z.number() }),
}
type ParameterType = keyof typeof values
const parameterTypes = Object.keys(values) as [ParameterType, ...ParameterType[]]

/** A parameter must carry the member that its type names. */
export const parameter = z
  .strictObject({
    type: lower(parameterTypes),
    parameter_name: z.string().min(1).optional(),
    ...z.object(values).partial().shape,
  })
  .check(({ value, issues }) => {
    if (value[value.type] === undefined)
      issues.push({ code: 'custom', path: [value.type], message: 'is missing', input: undefined })
  })
export type Parameter = z.infer<typeof parameter>

const part = z.strictObject({
  type: lower(['header', 'body', 'button', 'carousel', 'limited_time_offer']),
  sub_type: lower(['quick_reply', 'url', 'catalog', 'copy_code', 'flow', 'mpm', 'otp']).optional(),
  index: z
    .union([z.string().regex(/^\d$/, { error: 'is not a digit' }), z.int().min(0).max(9)])
    .transform(Number)
    .optional(),
  parameters: z.array(parameter).default([]),
})
const component = part.extend({
  cards: z.array(z.strictObject({ card_index: z.int().min(0), components: z.array(part) })).optional(),
})
export type Part = z.infer<typeof part>
export type Component = z.infer<typeof component>

const contents = {
  text: z.strictObject({ body: z.string().min(1).max(MAX_TEXT), preview_url: z.boolean().optional() }),
  image: media,
  video: media,
  audio: media,
  sticker: media,
  document: media,
  location,
  contacts: z.array(z.looseObject({ name: z.looseObject({ formatted_name: z.string() }) })).min(1),
  reaction: z.strictObject({ message_id: z.string(), emoji: z.string() }),
  interactive: z.looseObject({
    type: lower([
      'button',
      'list',
      'cta_url',
      'flow',
      'product',
      'product_list',
      'catalog_message',
      'location_request_message',
    ]),
    body: z.looseObject({ text: z.string().min(1) }).optional(),
    action: z.looseObject({}),
  }),
  template: z.strictObject({
    name: z.string().min(1),
    namespace: z.string().optional(),
    language: z.strictObject({ code: z.string().min(2), policy: z.literal('deterministic').optional() }),
    components: z.array(component).default([]),
  }),
}
type MessageType = keyof typeof contents
const messageTypes = Object.keys(contents) as [MessageType, ...MessageType[]]

export const message = z
  .strictObject({
    messaging_product: z.literal('whatsapp'),
    recipient_type: z.enum(['individual', 'group']).optional(),
    to: z
      .string()
      .regex(/^[+\d][\d\s().-]*$/, { error: 'is not a phone number' })
      .refine(to => {
        const { length } = to.replace(/\D/g, '')
        return length >= MIN_RECIPIENT && length <= MAX_RECIPIENT
      }, 'is not a phone number'),
    type: lower(messageTypes).default('text'),
    context: z.strictObject({ message_id: z.string() }).optional(),
    biz_opaque_callback_data: z.string().max(MAX_CALLBACK_DATA).optional(),
    ...z.object(contents).partial().shape,
  })
  .check(({ value, issues }) => {
    if (value[value.type] === undefined)
      issues.push({ code: 'custom', path: [value.type], message: 'is missing', input: undefined })
  })
export type Message = z.infer<typeof message>

export const readReceipt = z.strictObject({
  messaging_product: z.literal('whatsapp'),
  status: z.literal('read'),
  message_id: z.string(),
  typing_indicator: z.strictObject({ type: z.literal('text') }).optional(),
})

/** Meta names one fault at a time: the first one, with the path as PHP would write it. */
export function firstFault(issues: z.core.$ZodIssue[], body: unknown): Refusal {
  const issue = issues[0]
  if (!issue) return refusal(100, 'Invalid parameter')
  const where = written(issue.path)
  const found = issue.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null)?.[key], body)
  if (issue.code === 'unrecognized_keys')
    return refusal(100, `Unexpected key "${issue.keys[0]}" on param "${where || 'body'}".`)
  if (found === undefined)
    return issue.path.length === 1
      ? refusal(100, `The parameter ${where} is required.`)
      : refusal(131008, `Required parameter ${where} is missing.`)
  if (found === '') return refusal(100, `Param ${where} must be a non-empty string.`)
  if (issue.code === 'invalid_value')
    return refusal(
      100,
      `Param ${where} must be one of {${issue.values.join(', ').toUpperCase()}} - got "${String(found)}".`,
    )
  if (issue.code === 'invalid_format' && issue.format === 'url')
    return refusal(100, `Param ${where} is not a valid URI.`)
  return refusal(131009, `Param ${where} ${issue.message}.`)
}

const written = ([first, ...rest]: PropertyKey[]): string =>
  `${String(first ?? '')}${rest.map(key => (typeof key === 'number' ? `[${key}]` : `['${String(key)}']`)).join('')}`
