import * as z from 'zod'
import { Id, Time } from '../http/shapes.ts'

const PHONE_NUMBERS_MAX = 100
const SECRET_LENGTH_MAX = 2_000
const MESSAGES_PER_SECOND_MAX = 1_000

const ProviderId = z.string().regex(/^\d{1,32}$/, { error: "must be the provider's id, digits only" })
const Secret = z.string().min(1).max(SECRET_LENGTH_MAX)
export const GraphVersion = z
  .string()
  .regex(/^v\d{1,3}\.\d{1,2}$/, { error: 'must be a version such as v23.0' })
  .meta({ description: "The version of the provider's API.", examples: ['v23.0'] })

const PhoneNumber = z.strictObject({
  id: ProviderId.meta({ description: "The provider's id of the phone number.", examples: ['106540352242922'] }),
  displayNumber: z
    .string()
    .min(1)
    .max(32)
    .meta({ description: 'The phone number as people write it.', examples: ['+1 555 078 3881'] }),
  messagesPerSecond: z
    .int()
    .min(1)
    .max(MESSAGES_PER_SECOND_MAX)
    .exactOptional()
    .meta({
      description:
        'How many messages a second the provider allows this number. Jobs use 97 % of it. Set it if the provider has raised the limit of the number.',
      examples: [80],
    }),
})

const Settings = {
  name: z
    .string()
    .min(1)
    .max(100)
    .meta({ description: 'The name of the plugin, for people.', examples: ['Sales'] }),
  businessAccountId: ProviderId.meta({
    description: 'The id of the WhatsApp business account.',
    examples: ['102290129340398'],
  }),
  accessToken: Secret.meta({
    description: "The access token of the provider's app. It is stored encrypted and never returned.",
    examples: ['EAAG…'],
  }),
  appSecret: Secret.meta({
    description: "The secret of the provider's app, which signs its webhooks. Stored encrypted, never returned.",
    examples: ['a1b2c3…'],
  }),
  verifyToken: Secret.meta({
    description: 'A text of your own. Register the webhook with the same text at the provider.',
    examples: ['my-verify-token'],
  }),
  phoneNumbers: z
    .array(PhoneNumber)
    .min(1)
    .max(PHONE_NUMBERS_MAX)
    .check(({ value, issues }) => {
      const ids = value.map(({ id }) => id)
      const twice = ids.findIndex((id, index) => ids.indexOf(id) < index)
      if (twice >= 0)
        issues.push({
          code: 'custom',
          input: value,
          path: [twice, 'id'],
          message: 'is the id of another of the numbers',
        })
    })
    .describe('The phone numbers of the account that may send.'),
}

const DefaultLanguage = z
  .string()
  .regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, { error: 'must be the code of a language, such as en or en_US' })
  .nullable()
  .meta({
    description: 'The language of a template that exists in several, where a request names none.',
    examples: ['en_US'],
  })

export const NewPlugin = z.strictObject({
  ...Settings,
  graphVersion: GraphVersion.default('v23.0'),
  defaultLanguage: DefaultLanguage.default(null),
})
export type NewPlugin = z.output<typeof NewPlugin>

/** A change of a plugin. Only the members that are sent are changed. Any change lets a stopped plugin send again; `status` alone does, too. */
export const UpdatePlugin = z
  .strictObject({
    name: Settings.name.exactOptional(),
    businessAccountId: Settings.businessAccountId.exactOptional(),
    accessToken: Settings.accessToken.exactOptional(),
    appSecret: Settings.appSecret.exactOptional(),
    verifyToken: Settings.verifyToken.exactOptional(),
    phoneNumbers: Settings.phoneNumbers.exactOptional(),
    graphVersion: GraphVersion.exactOptional(),
    defaultLanguage: DefaultLanguage.exactOptional(),
    status: z
      .literal('ACTIVE')
      .exactOptional()
      .meta({ description: 'Lets a stopped plugin send again.', examples: ['ACTIVE'] }),
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
    id: Id.describe('The id of the plugin.'),
    createdAt: Time,
    updatedAt: Time,
    team: Id.describe('The id of the team.'),
    type: z.literal('WHATSAPP').describe('The kind of account.'),
    name: z.string().describe('The name of the plugin, for people.'),
    businessAccountId: z.string().describe('The id of the WhatsApp business account.'),
    phoneNumbers: z.array(PhoneNumber).describe('The phone numbers that may send.'),
    graphVersion: z.string().describe("The version of the provider's API that is called."),
    defaultLanguage: DefaultLanguage,
    status: z
      .enum(['ACTIVE', 'STOPPED'])
      .meta({ description: 'STOPPED while the provider refuses the whole account.' }),
    statusMessage: z.string().nullable().describe('Why the plugin is stopped; null while it is active.'),
    stoppedAt: Time.nullable().describe('When the plugin was stopped, in epoch milliseconds; null while it is active.'),
    stoppedPhoneNumbers: z
      .array(
        z.object({
          id: ProviderId.describe("The provider's id of the phone number."),
          statusMessage: z.string().describe('Why the provider refuses it.'),
          stoppedAt: Time,
        }),
      )
      .meta({ description: 'Those of the phone numbers that the provider refuses to send from; the others can send.' }),
    templatesSyncedAt: Time.nullable().describe(
      'When the templates were last fetched from the provider, in epoch milliseconds; null if never.',
    ),
    areSecretsReadable: z
      .boolean()
      .describe(
        'False: the secrets were encrypted with another `SECRETS_KEY` than the installation has, so nothing can be sent. Send all three anew.',
      ),
    webhookPath: z.string().describe('The path of `webhookUrl`.'),
    webhookUrl: z.string().meta({ description: 'The address to register with the provider.' }),
  })
  .meta({ id: 'Plugin' })
export type PluginView = z.infer<typeof PluginView>

export const TemplateView = z
  .object({
    id: Id.describe('The id of the template.'),
    externalId: z.string().describe("The provider's id of the template."),
    name: z.string().describe('The name to send as `templateName`.'),
    language: z.string().describe('The language, such as `en_US`. A template exists once for each.'),
    category: z.string().describe("The provider's category: `MARKETING`, `UTILITY` or `AUTHENTICATION`."),
    status: z.string().describe("The provider's decision. Only an `APPROVED` template can be sent."),
    statusReason: z.string().nullable().describe('Why the provider rejected or paused it; null if it did not.'),
    parameterFormat: z.string().describe('`POSITIONAL`: placeholders are numbers. `NAMED`: they are names.'),
    components: z
      .array(z.looseObject({ type: z.string().describe('`HEADER`, `BODY`, `FOOTER` or `BUTTONS`.') }))
      .describe("The parts of the template, in the provider's format."),
    updatedAt: Time,
  })
  .meta({ id: 'Template' })
export type TemplateView = z.infer<typeof TemplateView>
