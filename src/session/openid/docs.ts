import type * as z from 'zod'
import type { RouteDocs } from '../../http/openapi/route-docs.ts'
import { type BeginOpenId, type OpenIdAnswer, OpenIdPerson, OpenIdSignIn, WaysToSignIn } from './schema.ts'

const tag = 'Sessions'

const STATE = 'ExampleExampleExampleExampleExampleExample1'

export const openIdDocs = {
  beginOpenId: {
    tag,
    description:
      'Where the browser goes to sign in by the OpenID provider of the installation. The response sets a cookie for five minutes, which binds what comes back to this browser. The provider sends the browser to `/admin/sign-in/openid`, whose address is registered there.',
    responses: {
      200: {
        description: 'The address of the provider.',
        data: OpenIdSignIn,
        headers: ['Set-Cookie'],
        example: {
          data: {
            url: `https://id.example.com/authorize?response_type=code&client_id=caseworker&redirect_uri=https%3A%2F%2Fcaseworker.example%2Fadmin%2Fsign-in%2Fopenid&scope=openid+email&state=${STATE}&nonce=ExampleExampleExampleExampleExampleExample2&code_challenge=ExampleExampleExampleExampleExampleExample3&code_challenge_method=S256`,
          },
        },
      },
    },
    errors: ['permission_denied', 'not_offered', 'provider_unavailable', 'provider_timeout'],
    example: { from: '/admin/user' } satisfies z.input<typeof BeginOpenId>,
  },
  answerOpenId: {
    tag,
    description:
      "Takes what the provider has added to the page's address, and asks it who that is. The response names the teams of that person and sets a cookie for five minutes: `POST /v1/session` with `openid` and one of the teams makes the session. Whoever is not let in is told the same, whatever the reason; the log of the installation names it.",
    responses: {
      200: {
        description: 'The teams.',
        data: OpenIdPerson,
        headers: ['Set-Cookie'],
        example: { data: { teams: [{ shortId: 'acme', name: 'Acme' }], from: '/admin/user' } },
      },
    },
    errors: [
      ...(['unauthenticated', 'permission_denied', 'not_offered', 'rate_limited'] as const),
      ...(['provider_refused', 'provider_unavailable', 'provider_timeout', 'storage_unavailable'] as const),
    ],
    example: { code: '4/P7q7W91aoMsCeLvI', state: STATE } satisfies z.input<typeof OpenIdAnswer>,
  },
  listWaysToSignIn: {
    tag,
    description: 'Which ways to sign in are set up, for the sign-in page. It may be kept for a minute.',
    responses: {
      200: {
        description: 'The ways.',
        data: WaysToSignIn,
        example: { data: { link: true, passkey: true, access: false, openid: { name: 'Example ID' } } },
      },
    },
  },
} satisfies Record<string, RouteDocs>
