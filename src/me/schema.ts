import * as z from 'zod'
import { ApiKey } from '../api-key/schema.ts'
import { TeamNames } from '../config/schema.ts'
import { Id } from '../http/shapes.ts'
import { Session } from '../session/schema.ts'

const { id, name, prefix, lastFour, expiresAt } = ApiKey.shape

export const Caller = z
  .object({
    team: TeamNames.describe('The team of the key or session. A request can only read and change what belongs to it.'),
    user: z
      .object({
        id: Id.describe('The id of the user.'),
        username: z.string().describe('A name without spaces, unique in the team.'),
        displayName: z.string().describe('The name that people see.'),
        email: z.string().nullable().describe('The primary e-mail address; null if there is none.'),
      })
      .describe('The user on whose behalf the request is made.'),
    key: z
      .object({ id, name, prefix, lastFour, expiresAt })
      .nullable()
      .describe('The API key of the request: always there where a token was sent, null where a session was.'),
    session: Session.pick({ id: true, method: true, createdAt: true, expiresAt: true })
      .nullable()
      .describe('The session of the request; null where a token was sent.'),
    role: z
      .object({
        id: Id.describe('The id of the role.'),
        shortId: z.string().describe('The short id of the role.'),
        name: z.string().describe('The name of the role, for people.'),
      })
      .describe('The role of the key, or of the user who has signed in.'),
    permissions: z
      .array(z.string())
      .meta({ description: 'What the caller may do: what the role allows, and for a key the role of its user, too.' }),
    limits: z
      .object({
        callsPerMinute: z.int().meta({ description: 'With this key, or in all sessions of the user.' }),
        listLimit: z.int().meta({ description: 'The largest page of a list.' }),
        bulkEntries: z.int().meta({ description: 'The most entries of one bulk request of JSON.' }),
        bulkBytes: z.int().meta({ description: 'The largest body of JSON of a bulk request.' }),
        bulkLines: z.int().meta({ description: 'The most entries of one bulk request of CSV or NDJSON.' }),
        bulkLinesBytes: z.int().meta({ description: 'The largest body of CSV or NDJSON of a bulk request.' }),
      })
      .describe('What the caller may send.'),
  })
  .meta({ id: 'Caller' })
export type Caller = z.infer<typeof Caller>
