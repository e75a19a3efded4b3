import { z } from 'zod'
import { ROLE_SHORT_IDS } from './roles.ts'

export const NewApiKey = z.strictObject({
  name: z.string().min(1).max(100),
  description: z.string().max(1000).default(''),
  role: z.enum(ROLE_SHORT_IDS),
  /** A user's id, username or e-mail address; the caller's own user where it is left out. */
  user: z.string().min(1).max(320).optional(),
  expiresAt: z.int().positive().nullable().default(null),
})
export type NewApiKey = z.infer<typeof NewApiKey>

export const ApiKeyPath = z.object({ keyId: z.string() })

const OVERLAP_SECONDS_MAX = 30 * 24 * 60 * 60
export const Rotation = z.strictObject({ overlapSeconds: z.int().min(0).max(OVERLAP_SECONDS_MAX).default(0) })
