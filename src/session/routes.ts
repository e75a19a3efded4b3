import type { Context } from 'hono'
import type { AppError } from '../errors.ts'
import type { AppEnv } from '../http/context.ts'
import { getPublicOrigin } from '../http/public-origin.ts'
import { lookUpUnauthenticated } from '../http/request/unauthenticated.ts'
import { jsonResponse } from '../http/response/envelope.ts'
import { changeAddress, linkToNext } from '../http/response/next-page.ts'
import { route } from '../http/route.ts'
import { UserPath } from '../user/schema.ts'
import { accessRefusedError, signInByAccess } from './access/operations.ts'
import { readAccessSettings } from './access/settings.ts'
import { readOpenIdCookie } from './openid/cookie.ts'
import { personRefusedError, signInByOpenId } from './openid/operations.ts'
import { readOpenIdSettings } from './openid/settings.ts'
import {
  type BrowserVisit,
  createSignInLink,
  endOneSession,
  findUsableLink,
  linkRefusedError,
  type NewSession,
  readSessionsPage,
  signInByLink,
  signOut,
} from './operations.ts'
import { passkeyRefusedError, signInByPasskey } from './passkey/operations.ts'
import { LinkLookUp, SessionPath, SessionsQuery, SignIn } from './schema.ts'
import { ENDED_SESSION_COOKIE, formatSessionCookie, readSessionToken } from './session-rules.ts'
import { viewLinkPreview, viewSession, viewSignInLink } from './view.ts'
import { getWaysToSignIn } from './ways-to-sign-in.ts'

const readToken = (c: Context<AppEnv>): string | undefined => readSessionToken(c.req.header('cookie'))

const toVisit = (c: Context<AppEnv>): BrowserVisit => ({
  now: Date.now(),
  agent: c.req.header('user-agent') ?? '',
  previous: readToken(c),
})

/** Returns the refusal of an unknown link, passkey or address. Each kind has only one. */
function findRefusal({ link, access, openid }: SignIn, env: Env): AppError {
  if (link !== undefined) return linkRefusedError('there is no such link')
  if (openid) return personRefusedError(readOpenIdSettings(env))
  return access
    ? accessRefusedError('no active user of this team has this address')
    : passkeyRefusedError('there is no such passkey')
}

async function signInBy(
  c: Context<AppEnv>,
  { link, passkey, access, openid }: SignIn,
  visit: BrowserVisit,
): Promise<NewSession | undefined> {
  if (link !== undefined) return signInByLink(c.get('db'), link, visit)
  if (access) {
    const assertion = c.req.header('cf-access-jwt-assertion')
    return signInByAccess(c.get('db'), { ...access, assertion }, readAccessSettings(c.env), visit)
  }
  if (openid) {
    const context = { env: c.env, settings: readOpenIdSettings(c.env) }
    return signInByOpenId(c.get('db'), { ...openid, cookie: readOpenIdCookie(c.req.header('cookie')) }, context, visit)
  }
  const origin = c.req.header('origin') ?? getPublicOrigin(c)
  return passkey && signInByPasskey(c.get('db'), passkey, { env: c.env, origin }, visit)
}

const WAYS_SECONDS_MAX = 60

/** The routes of sessions. `forgetToken` takes a token from the memory of the isolate, which authenticates by it. */
export const sessionRoutes = (forgetToken: (token: string) => void) => [
  route({
    id: 'listWaysToSignIn',
    method: 'get',
    path: '/v1/session/ways',
    summary: 'List the ways to sign in',
    permission: null,
    perform: async ({ c }) => getWaysToSignIn(c.env),
    respond: ways => jsonResponse(200, ways, { headers: { 'cache-control': `public, max-age=${WAYS_SECONDS_MAX}` } }),
  }),
  route({
    id: 'signIn',
    method: 'post',
    path: '/v1/session',
    summary: 'Sign in',
    permission: null,
    isForOwnPages: true,
    body: SignIn,
    perform: async ({ c, body }) => {
      const visit = toVisit(c)
      const made = await lookUpUnauthenticated(c, { kind: 'sign in' }, () => signInBy(c, body, visit))
      if (!made) throw findRefusal(body, c.env)
      if (visit.previous !== undefined) forgetToken(visit.previous)
      return made
    },
    respond: ({ row, token }) =>
      jsonResponse(201, viewSession(row, row.id), { headers: { 'set-cookie': formatSessionCookie(token) } }),
  }),
  route({
    id: 'lookAtSignInLink',
    method: 'post',
    path: '/v1/session/link',
    summary: 'Look at a sign-in link',
    permission: null,
    isForOwnPages: true,
    onlyReads: true,
    body: LinkLookUp,
    perform: async ({ c, body }) => {
      const find = () => findUsableLink(c.get('db'), body.link, Date.now())
      const link = await lookUpUnauthenticated(c, { kind: 'sign in' }, find)
      if (!link) throw findRefusal(body, c.env)
      return link
    },
    respond: link => jsonResponse(200, viewLinkPreview(link)),
  }),
  route({
    id: 'signOut',
    method: 'delete',
    path: '/v1/session',
    summary: 'Sign out',
    permission: null,
    isForOwnPages: true,
    perform: async ({ c }) => {
      const token = readToken(c)
      if (token === undefined) return
      forgetToken(token)
      await lookUpUnauthenticated(
        c,
        { kind: 'session' },
        async () => (await signOut(c.get('db'), token, Date.now())) || undefined,
      )
    },
    respond: () => jsonResponse(200, { signedOut: true }, { headers: { 'set-cookie': ENDED_SESSION_COOKIE } }),
  }),
  route({
    id: 'listSessions',
    method: 'get',
    path: '/v1/ext/session',
    summary: 'List sessions',
    permission: 'config:read',
    query: SessionsQuery,
    perform: async ({ c, scope, query }) => ({ ...(await readSessionsPage(scope, query, c.get('may'))), query }),
    respond: ({ rows, hasMore, query: { skip, limit } }, { c }) =>
      jsonResponse(
        200,
        rows.map(row => viewSession(row, c.get('callerId'))),
        { meta: { hasMore }, headers: linkToNext(c, hasMore ? changeAddress(c, { skip: skip + limit }) : null) },
      ),
  }),
  route({
    id: 'endSession',
    method: 'delete',
    path: '/v1/ext/session/:sessionId',
    summary: 'End a session',
    permission: 'config:read',
    params: SessionPath,
    perform: ({ c, scope, params }) => endOneSession(scope, params.sessionId, c.get('may')),
    respond: (row, { c }) => jsonResponse(200, viewSession(row, c.get('callerId'))),
  }),
  route({
    id: 'createSignInLink',
    method: 'post',
    path: '/v1/ext/user/:userId/sign-in-link',
    summary: 'Create a sign-in link',
    permission: 'user:write',
    params: UserPath,
    perform: ({ c, scope, params }) => createSignInLink(scope, params.userId, c.get('may')),
    respond: (link, { c }) => jsonResponse(201, viewSignInLink(link, getPublicOrigin(c))),
  }),
]
