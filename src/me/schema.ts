import { z } from 'zod'
import { ApiKey } from '../auth/schema.ts'
import { Id } from '../http/shapes.ts'

const { name, prefix, lastFour, expiresAt } = ApiKey.shape

export const Caller = z
  .object({
    team: z.object({ id: Id, shortId: z.string(), name: z.string() }),
    user: z.object({ id: Id, username: z.string(), displayName: z.string(), email: z.string().nullable() }),
    key: z.object({ id: Id, name, prefix, lastFour, expiresAt }),
    role: z.object({ id: Id, shortId: z.string(), name: z.string() }),
    permissions: z.array(z.string()).meta({ description: 'What the role of the key allows.' }),
    limits: z.object({
      callsPerMinute: z.int().meta({ description: 'With this key.' }),
      listLimit: z.int().meta({ description: 'The largest page of a list.' }),
      bulkEntries: z.int().meta({ description: 'The most entries of one bulk request.' }),
      bulkBytes: z.int().meta({ description: 'The largest body of a bulk request.' }),
    }),
  })
  .meta({ id: 'Caller' })
export type Caller = z.infer<typeof Caller>
