import * as z from 'zod'
import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { HAS_MORE } from '../http/request/paging.ts'
import { type LinkLookUp, LinkPreview, Session, SignedOut, type SignIn, SignInLink } from './schema.ts'

const tag = 'Sessions'

const EXAMPLE: Session = {
  id: '01935c1e-5a00-7008-9b1c-3d4e5f6a7b8c',
  user: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
  method: 'link',
  agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  isCurrent: true,
  createdAt: 1795276206000,
  lastUsedAt: 1795276206000,
  expiresAt: 1797868206000,
  endedAt: null,
}

const STRANGERS = ['rate_limited', 'storage_unavailable', 'storage_full'] as const

export const sessionDocs = {
  signIn: {
    tag,
    description: `Makes a session for a browser: the response sets its cookie, which no script can read. A session that the browser had before ends. A link works once, within an hour.

Requests with the cookie and without an \`authorization\` header have the permissions of the user's role. They are taken only from pages of the installation itself: changes need the header \`origin\`, as this request does. Programs use an API key.`,
    responses: {
      201: { description: 'The new session.', data: Session, headers: ['Set-Cookie'], example: { data: EXAMPLE } },
    },
    errors: [
      'unauthenticated',
      'permission_denied',
      'team_suspended',
      'not_offered',
      'provider_unavailable',
      ...STRANGERS,
    ],
    example: { link: 'cwl_Zk3vExampleExampleExampleExampleExamp9sQd' } satisfies z.input<typeof SignIn>,
  },
  lookAtSignInLink: {
    tag,
    description:
      'Whom a link signs in, and to which team, for the page on which it is used: nobody is to sign in as somebody else without seeing it. The link works as before.',
    responses: {
      200: {
        description: 'Whom the link is for.',
        data: LinkPreview,
        example: {
          data: { team: { shortId: 'acme', name: 'Acme' }, user: 'Asha Rao', expiresAt: 1795279806000 },
        },
      },
    },
    errors: ['unauthenticated', 'permission_denied', 'team_suspended', ...STRANGERS],
    example: { link: 'cwl_Zk3vExampleExampleExampleExampleExamp9sQd' } satisfies z.input<typeof LinkLookUp>,
  },
  signOut: {
    tag,
    session: 'optional',
    description:
      'Ends the session of the cookie, everywhere within 30 seconds, and removes the cookie. Without a session it does nothing.',
    responses: {
      200: {
        description: 'The browser is signed out.',
        data: SignedOut,
        headers: ['Set-Cookie'],
        example: { data: { signedOut: true } },
      },
    },
    errors: ['permission_denied', ...STRANGERS],
  },
  listSessions: {
    tag,
    description:
      'Sessions that have not ended, newest first: your own, or with the permission `key:read` those of the whole team.',
    responses: {
      200: {
        description: 'The sessions.',
        data: z.array(Session),
        meta: { hasMore: HAS_MORE },
        headers: ['Link'],
        example: { data: [EXAMPLE], meta: { hasMore: false } },
      },
    },
  },
  endSession: {
    tag,
    description:
      "Ends a session, everywhere within 30 seconds: in a session your own, or with the permission `key:write` anybody's of the team.",
    responses: {
      200: {
        description: 'The session, ended.',
        data: Session,
        example: { data: { ...EXAMPLE, isCurrent: false, endedAt: 1795276300000 } },
      },
    },
    errors: ['not_found'],
  },
  createSignInLink: {
    tag,
    description:
      'A link with which the user signs in to the admin area: once, within an hour. Give it to nobody else. The role of the user must be one that you may grant.',
    responses: {
      201: {
        description: 'The link.',
        data: SignInLink,
        example: {
          data: {
            id: '01935c1e-5a00-7009-8c2d-4e5f6a7b8c9d',
            user: EXAMPLE.user,
            url: 'https://caseworker.example/admin/sign-in#cwl_Zk3vExampleExampleExampleExampleExamp9sQd',
            createdAt: 1795276206000,
            expiresAt: 1795279806000,
          },
        },
      },
    },
    errors: ['not_found', 'conflict'],
  },
} satisfies Record<string, RouteDocs>
