import { z } from 'zod'
import { Id, Time } from '../http/shapes.ts'

const PHONE_NUMBERS_MAX = 100
const SECRET_LENGTH_MAX = 2_000
const MESSAGES_PER_SECOND_MAX = 1_000

const ProviderId = z.string().regex(/^\d{1,32}$/, { error: "must be the provider's id, digits only" })
const Secret = z.string().min(1).max(SECRET_LENGTH_MAX)
export const GraphVersion = z.string().regex(/^v\d{1,3}\.\d{1,2}$/, { error: 'must be a version such as v23.0' })

const PhoneNumber = z.strictObject({
  id: ProviderId,
  displayNumber: z.string().min(1).max(32),
  messagesPerSecond: z.int().min(1).max(MESSAGES_PER_SECOND_MAX).exactOptional().meta({
    description:
      'How many messages a second the provider allows this number. Jobs use 97 % of it. Set it if the provider has raised the limit of the number.',
  }),
})

const Settings = {
  name: z.string().min(1).max(100),
  businessAccountId: ProviderId,
  accessToken: Secret,
  appSecret: Secret,
  verifyToken: Secret,
  phoneNumbers: z.array(PhoneNumber).min(1).max(PHONE_NUMBERS_MAX),
}

const DefaultLanguage = z
  .string()
  .regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, { error: 'must be the code of a language, such as en or en_US' })
  .nullable()
  .meta({ description: 'The language of a template that exists in several, where a request names none.' })

export const NewPlugin = z.strictObject({
  ...Settings,
  graphVersion: GraphVersion.default('v23.0'),
  defaultLanguage: DefaultLanguage.default(null),
})
export type NewPlugin = z.output<typeof NewPlugin>

/** Only the members that are sent are changed. Any change lets a stopped plugin send again; `status` alone does, too. */
export const UpdatePlugin = z
  .strictObject({
    name: Settings.name.exactOptional(),
    businessAccountId: Settings.businessAccountId.exactOptional(),
    accessToken: Secret.exactOptional(),
    appSecret: Secret.exactOptional(),
    verifyToken: Secret.exactOptional(),
    phoneNumbers: Settings.phoneNumbers.exactOptional(),
    graphVersion: GraphVersion.exactOptional(),
    defaultLanguage: DefaultLanguage.exactOptional(),
    status: z.literal('ACTIVE').exactOptional(),
  })
  .refine(body => Object.keys(body).length > 0, {
    error: 'at least one field is required, such as "name" or "status"',
  })
  .meta({ minProperties: 1 })
export type UpdatePlugin = z.output<typeof UpdatePlugin>

export const PluginPath = z.object({
  pluginId: z
    .string()
    .meta({ description: 'The id of the plugin.', examples: ['01935c1e-5a00-700a-8a9b-7c8d9eafb0c1'] }),
})

export const PluginView = z
  .object({
    id: Id,
    createdAt: Time,
    updatedAt: Time,
    team: Id,
    type: z.literal('WHATSAPP'),
    name: z.string(),
    businessAccountId: z.string(),
    phoneNumbers: z.array(PhoneNumber),
    graphVersion: z.string(),
    defaultLanguage: DefaultLanguage,
    status: z
      .enum(['ACTIVE', 'STOPPED'])
      .meta({ description: 'STOPPED while the provider refuses the whole account.' }),
    statusMessage: z.string().nullable(),
    stoppedAt: Time.nullable(),
    stoppedPhoneNumbers: z
      .array(z.object({ id: ProviderId, statusMessage: z.string(), stoppedAt: Time }))
      .meta({ description: 'Those of the phone numbers that the provider refuses to send from; the others can send.' }),
    templatesSyncedAt: Time.nullable(),
    webhookPath: z.string(),
    webhookUrl: z.string().meta({ description: 'The address to register with the provider.' }),
  })
  .meta({ id: 'Plugin' })
export type PluginView = z.infer<typeof PluginView>

export const TemplateView = z
  .object({
    id: Id,
    externalId: z.string(),
    name: z.string(),
    language: z.string(),
    category: z.string(),
    status: z.string(),
    statusReason: z.string().nullable(),
    parameterFormat: z.string(),
    components: z.array(z.looseObject({ type: z.string() })),
    updatedAt: Time,
  })
  .meta({ id: 'Template' })
export type TemplateView = z.infer<typeof TemplateView>
