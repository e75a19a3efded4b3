import * as z from 'zod'
import { Id, Text, Time } from '../http/shapes.ts'
import { ROLE_SHORT_IDS } from '../roles.ts'

export const NewApiKey = z.strictObject({
  name: Text.min(1)
    .max(100)
    .meta({ description: 'What the key is for.', examples: ['Website form'] }),
  description: Text.max(1000)
    .default('')
    .meta({ description: 'More about the key, for people.', examples: ['The contact form of acme.example'] }),
  role: z.enum(ROLE_SHORT_IDS).meta({
    description: 'The role of the key: what requests with it may do, as far as the role of its user allows it, too.',
    examples: ['agent'],
  }),
  user: z
    .string()
    .min(1)
    .max(320)
    .optional()
    .meta({
      description: "A user's id, username or e-mail address. The default is the caller's user.",
      examples: ['meera'],
    }),
  expiresAt: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .meta({ description: 'Epoch milliseconds; null means never.', examples: [1826812206000] }),
})
export type NewApiKey = z.infer<typeof NewApiKey>

export const ApiKeyPath = z.object({
  keyId: z.string().meta({ description: 'The id of the key.', examples: ['01935c1e-5a00-7002-a1b2-c3d4e5f60718'] }),
})

const OVERLAP_SECONDS_MAX = 30 * 24 * 60 * 60
export const Rotation = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(OVERLAP_SECONDS_MAX)
    .default(0)
    .meta({ description: 'How long the old token continues to work.', examples: [3600] }),
})

export const ApiKey = z
  .object({
    id: Id.describe('The id of the key.'),
    name: z.string().describe('What the key is for.'),
    description: z.string().describe('More about the key; may be empty.'),
    role: z.string().meta({ description: 'The short id of the role.' }),
    roleId: Id.describe('The id of the role.'),
    user: Id.meta({ description: 'The user on whose behalf requests with this key are made.' }),
    prefix: z.string().meta({ description: 'The first characters of the token.' }),
    lastFour: z.string().meta({ description: 'The last characters of the token.' }),
    createdAt: Time,
    createdBy: Id.nullable().describe('The user who created the key; null for the first key of a team.'),
    expiresAt: Time.nullable().describe('When the key stops working, in epoch milliseconds; null means never.'),
    revokedAt: Time.nullable().describe('When the key was revoked, in epoch milliseconds; null if it was not.'),
    lastUsedAt: Time.nullable().meta({ description: 'Epoch milliseconds, accurate to ten minutes.' }),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof ApiKey>

export const IssuedApiKey = z
  .object({
    ...ApiKey.shape,
    token: z
      .string()
      .nullable()
      .meta({ description: 'Only in this response. Null when an idempotency key replays it.' }),
  })
  .meta({ id: 'IssuedApiKey' })
export type IssuedApiKey = z.infer<typeof IssuedApiKey>
