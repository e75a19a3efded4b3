import { z } from 'zod'
import { Id, Text, Time } from '../http/shapes.ts'
import { ROLE_SHORT_IDS } from '../roles.ts'

export const NewApiKey = z.strictObject({
  name: Text.min(1).max(100),
  description: Text.max(1000).default(''),
  role: z.enum(ROLE_SHORT_IDS),
  user: z
    .string()
    .min(1)
    .max(320)
    .optional()
    .describe("A user's id, username or e-mail address. The default is the caller's user."),
  expiresAt: z.int().positive().nullable().default(null).describe('Epoch milliseconds; null means never.'),
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
    .describe('How long the old token continues to work.'),
})

export const ApiKey = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string(),
    role: z.string().meta({ description: 'The short id of the role.' }),
    roleId: Id,
    user: Id.meta({ description: 'The user on whose behalf requests with this key are made.' }),
    prefix: z.string().meta({ description: 'The first characters of the token.' }),
    lastFour: z.string().meta({ description: 'The last characters of the token.' }),
    createdAt: Time,
    createdBy: Id.nullable(),
    expiresAt: Time.nullable(),
    revokedAt: Time.nullable(),
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
