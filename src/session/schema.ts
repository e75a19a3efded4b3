import * as z from 'zod'
import { limitQuery, SkipQuery } from '../http/request/paging.ts'
import { Id, Time } from '../http/shapes.ts'
import { PasskeyAssertion } from './passkey/schema.ts'

const LINK_CHARACTERS_MAX = 200
const SESSIONS_PER_PAGE = 100

const TeamOfSignIn = z
  .string()
  .min(1)
  .max(LINK_CHARACTERS_MAX)
  .meta({ description: 'The short id of the team.', examples: ['acme'] })

const LinkToken = z
  .string()
  .min(1)
  .max(LINK_CHARACTERS_MAX)
  .meta({
    description: 'The token of a sign-in link: what follows `#` in its address.',
    examples: ['cwl_Zk3vExampleExampleExampleExampleExamp9sQd'],
  })

export const LinkLookUp = z.strictObject({ link: LinkToken })
export type LinkLookUp = z.infer<typeof LinkLookUp>

export const LinkPreview = z.object({
  team: z
    .object({
      shortId: z.string().describe('The short id of the team.'),
      name: z.string().describe('The name of the team.'),
    })
    .describe('The team into which the link signs in.'),
  user: z.string().describe('The name of the user as whom it signs in, as people see it.'),
  expiresAt: Time.describe('When the link stops working, in epoch milliseconds.'),
})
export type LinkPreview = z.infer<typeof LinkPreview>

export const SignIn = z
  .strictObject({
    link: LinkToken.exactOptional(),
    passkey: PasskeyAssertion.exactOptional(),
    access: z
      .strictObject({
        team: TeamOfSignIn,
      })
      .exactOptional()
      .meta({
        description:
          'Signs in whom Cloudflare Access has let through, if it is set up: the active user of the team with the e-mail address that it has verified.',
        examples: [{ team: 'acme' }],
      }),
    openid: z
      .strictObject({ team: TeamOfSignIn })
      .exactOptional()
      .meta({
        description:
          'The last step of signing in by an OpenID provider: one of the teams that `answerOpenId` has named.',
        examples: [{ team: 'acme' }],
      }),
  })
  .refine(body => Object.values(body).filter(each => each !== undefined).length === 1, {
    error: 'exactly one of link, passkey, access and openid is required',
  })
  .meta({ minProperties: 1, maxProperties: 1 })
export type SignIn = z.infer<typeof SignIn>

export const SESSION_METHODS = ['link', 'passkey', 'openid'] as const

export const Session = z
  .object({
    id: Id.describe('The id of the session.'),
    user: Id.describe('The user who has signed in.'),
    method: z.enum(SESSION_METHODS).describe('How they have signed in.'),
    agent: z.string().describe("The beginning of the browser's `user-agent`; may be empty."),
    isCurrent: z.boolean().describe('Whether it is the session of this request.'),
    createdAt: Time,
    lastUsedAt: Time.meta({ description: 'Epoch milliseconds, accurate to ten minutes.' }),
    expiresAt: Time.describe(
      'When it ends at the latest, in epoch milliseconds. It ends after 12 hours without a request.',
    ),
    endedAt: Time.nullable().describe('When it was ended, in epoch milliseconds; null if it was not.'),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

export const SessionPath = z.object({
  sessionId: z
    .string()
    .meta({ description: 'The id of the session.', examples: ['01935c1e-5a00-7008-9b1c-3d4e5f6a7b8c'] }),
})

/** The user to whom a list is limited. With the permission `key:read` it may be any user of the team. */
export const OfUserQuery = z.strictObject({
  user: z
    .uuid({ error: 'must be the id of a user (a UUID)' })
    .transform(id => id.toLowerCase())
    .exactOptional()
    .meta({ description: 'The id of a user, for theirs only.', examples: ['01935c1e-5a00-7001-8f00-2b7d1c9e4a55'] }),
})
export type OfUserQuery = z.output<typeof OfUserQuery>

export const SessionsQuery = z.strictObject({
  ...OfUserQuery.shape,
  skip: SkipQuery,
  limit: limitQuery(SESSIONS_PER_PAGE),
})
export type SessionsQuery = z.output<typeof SessionsQuery>

export const SignedOut = z
  .object({ signedOut: z.literal(true).describe('The session of the cookie, if there was one, has ended.') })
  .meta({ id: 'SignedOut' })
export type SignedOut = z.infer<typeof SignedOut>

export const SignInLink = z
  .object({
    id: Id.describe('The id of the link.'),
    user: Id.describe('The user who signs in with it.'),
    url: z
      .string()
      .nullable()
      .describe('The address to open, only in this response. Null when an idempotency key replays it.'),
    createdAt: Time,
    expiresAt: Time.describe('Until when it can be used, once; in epoch milliseconds.'),
  })
  .meta({ id: 'SignInLink' })
export type SignInLink = z.infer<typeof SignInLink>
