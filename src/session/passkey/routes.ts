import type { Context } from 'hono'
import type { AppEnv } from '../../http/context.ts'
import { getPublicOrigin } from '../../http/public-origin.ts'
import { jsonResponse } from '../../http/response/envelope.ts'
import { route } from '../../http/route.ts'
import { OfUserQuery } from '../schema.ts'
import { addPasskey, challengePasskey, challengeSignIn, deletePasskey, listPasskeys } from './operations.ts'
import { NewPasskey, PasskeyPath } from './schema.ts'
import { viewPasskey } from './view.ts'

/** Returns the context of a page. Its origin can be relied upon, because it was compared with ours. */
const createContext = (c: Context<AppEnv>) => ({ env: c.env, origin: c.req.header('origin') ?? getPublicOrigin(c) })

export const passkeyRoutes = [
  route({
    id: 'challengeSignIn',
    method: 'post',
    path: '/v1/session/challenge',
    summary: 'Get a challenge to sign in',
    permission: null,
    isForOwnPages: true,
    onlyReads: true,
    perform: async ({ c }) => {
      return challengeSignIn(createContext(c), Date.now())
    },
    respond: challenge => jsonResponse(200, challenge),
  }),
  route({
    id: 'challengePasskey',
    method: 'post',
    path: '/v1/ext/passkey/challenge',
    summary: 'Get a passkey challenge',
    permission: 'config:read',
    onlyReads: true,
    perform: ({ c, scope }) => challengePasskey(scope, createContext(c)),
    respond: challenge => jsonResponse(200, challenge),
  }),
  route({
    id: 'addPasskey',
    method: 'post',
    path: '/v1/ext/passkey',
    summary: 'Add a passkey',
    permission: 'config:read',
    body: NewPasskey,
    perform: ({ c, scope, body }) => addPasskey(scope, body, createContext(c)),
    respond: row => jsonResponse(201, viewPasskey(row), { headers: { location: `/v1/ext/passkey/${row.id}` } }),
  }),
  route({
    id: 'listPasskeys',
    method: 'get',
    path: '/v1/ext/passkey',
    summary: 'List passkeys',
    permission: 'config:read',
    query: OfUserQuery,
    perform: ({ c, scope, query }) => listPasskeys(scope, query, c.get('may')),
    respond: rows => jsonResponse(200, rows.map(viewPasskey)),
  }),
  route({
    id: 'deletePasskey',
    method: 'delete',
    path: '/v1/ext/passkey/:passkeyId',
    summary: 'Remove a passkey',
    permission: 'config:read',
    params: PasskeyPath,
    perform: ({ c, scope, params }) => deletePasskey(scope, params.passkeyId, c.get('may')),
    respond: row => jsonResponse(200, viewPasskey(row)),
  }),
]
