import { z } from 'zod'

const PHONE_NUMBERS_MAX = 100
const SECRET_LENGTH_MAX = 2_000

const ProviderId = z.string().regex(/^\d{1,32}$/, { error: "the provider's id, digits only" })
const Secret = z.string().min(1).max(SECRET_LENGTH_MAX)
export const GraphVersion = z.string().regex(/^v\d{1,3}\.\d{1,2}$/, { error: 'a version such as v23.0' })

const PhoneNumber = z.strictObject({
  id: ProviderId,
  displayNumber: z.string().min(1).max(32),
})

const Settings = {
  name: z.string().min(1).max(100),
  businessAccountId: ProviderId,
  accessToken: Secret,
  appSecret: Secret,
  verifyToken: Secret,
  phoneNumbers: z.array(PhoneNumber).min(1).max(PHONE_NUMBERS_MAX),
}

export const NewPlugin = z.strictObject({ ...Settings, graphVersion: GraphVersion.default('v23.0') })
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
    status: z.literal('ACTIVE').exactOptional(),
  })
  .refine(body => Object.keys(body).length > 0, { error: 'at least one member is required' })
export type UpdatePlugin = z.output<typeof UpdatePlugin>

export const PluginPath = z.object({ pluginId: z.string() })
