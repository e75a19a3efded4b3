import * as z from 'zod'

const CODE_CHARACTERS_MAX = 8_000
const ADDRESS_CHARACTERS_MAX = 2_000
const HOME = '/admin/'

/** Matches a page of the admin area on this host. It has no second slash or backslash, which browsers take for the beginning of another host. */
const OWN_PAGE = /^\/admin(?:\/(?![/\\])[^\s\\]*|\?[^\s\\]*)?$/

const NO_PAGE = 'must be the path of a page of the admin area, such as /admin/process'

const ANY_HOST = 'https://own.example'

/** Tells whether a path stays in the admin area. With `..` in it, it may lead to another page than it seems to. */
const staysInAdmin = (from: string): boolean =>
  URL.canParse(from, ANY_HOST) && /^\/admin(\/|$)/.test(new URL(from, ANY_HOST).pathname)

export const BeginOpenId = z.strictObject({
  from: z
    .string()
    .max(ADDRESS_CHARACTERS_MAX)
    .regex(OWN_PAGE, { error: NO_PAGE })
    .refine(staysInAdmin, { error: NO_PAGE })
    .default(HOME)
    .meta({ description: 'The page of the admin area to go to afterwards.', examples: ['/admin/user'] }),
})
export type BeginOpenId = z.output<typeof BeginOpenId>

export const OpenIdSignIn = z
  .object({ url: z.string().describe('Where the browser goes: to the provider.') })
  .meta({ id: 'OpenIdSignIn' })
export type OpenIdSignIn = z.infer<typeof OpenIdSignIn>

export const OpenIdAnswer = z.strictObject({
  code: z
    .string()
    .min(1)
    .max(CODE_CHARACTERS_MAX)
    .meta({
      description: 'From the address that the provider has sent the browser to.',
      examples: ['4/P7q7W91aoMsCeLvI'],
    }),
  state: z
    .string()
    .min(1)
    .max(ADDRESS_CHARACTERS_MAX)
    .meta({ description: 'Likewise.', examples: ['ExampleExampleExampleExampleExampleExample1'] }),
  iss: z
    .string()
    .max(ADDRESS_CHARACTERS_MAX)
    .exactOptional()
    .meta({ description: 'Likewise, if it is there (RFC 9207).', examples: ['https://id.example.com'] }),
})
export type OpenIdAnswer = z.infer<typeof OpenIdAnswer>

export const OpenIdPerson = z
  .object({
    teams: z
      .array(
        z.object({
          shortId: z.string().describe('The short id of the team: for `POST /v1/session`.'),
          name: z.string().describe('What it is called.'),
        }),
      )
      .describe(
        'The teams in which an active user has the e-mail address that the provider has verified; at least one.',
      ),
    from: z.string().describe('The page that was wanted when it began.'),
  })
  .meta({ id: 'OpenIdPerson' })
export type OpenIdPerson = z.infer<typeof OpenIdPerson>

export const WaysToSignIn = z
  .object({
    link: z.literal(true).describe('A link that an admin or the operator has made.'),
    passkey: z.boolean().describe('A passkey that was added in a session.'),
    access: z.boolean().describe('Cloudflare Access.'),
    openid: z
      .object({ name: z.string().describe('What the provider is called.') })
      .nullable()
      .describe('An OpenID provider; null if none is set up.'),
  })
  .meta({ id: 'WaysToSignIn' })
export type WaysToSignIn = z.infer<typeof WaysToSignIn>
