import { getPublicOrigin } from '../../http/public-origin.ts'
import { lookUpUnauthenticated } from '../../http/request/unauthenticated.ts'
import { jsonResponse } from '../../http/response/envelope.ts'
import { route } from '../../http/route.ts'
import { formatOpenIdCookie, readOpenIdCookie } from './cookie.ts'
import { answerOpenId, beginOpenId, personRefusedError } from './operations.ts'
import { BeginOpenId, OpenIdAnswer } from './schema.ts'
import { readOpenIdSettings } from './settings.ts'

/**
 * The provider sends the browser to a page of the admin area, and that page makes these calls. They are of the same site, so
 * all cookies can be `SameSite=Strict`. A request that follows a redirect of another site would have none of them: neither
 * that of the pending sign-in, nor that of the session that has to end, nor (on the next page) that of the new one.
 */
export const openIdRoutes = [
  route({
    id: 'beginOpenId',
    method: 'post',
    path: '/v1/session/openid',
    summary: 'Begin to sign in by OpenID',
    permission: null,
    isForOwnPages: true,
    onlyReads: true,
    body: BeginOpenId,
    perform: async ({ c, body }) => {
      const origin = c.req.header('origin') ?? getPublicOrigin(c)
      return beginOpenId(origin, body, { env: c.env, settings: readOpenIdSettings(c.env), now: Date.now() })
    },
    respond: ({ url, cookie }) => jsonResponse(200, { url }, { headers: { 'set-cookie': formatOpenIdCookie(cookie) } }),
  }),
  route({
    id: 'answerOpenId',
    method: 'post',
    path: '/v1/session/openid/answer',
    summary: 'Answer an OpenID sign-in',
    permission: null,
    isForOwnPages: true,
    onlyReads: true,
    body: OpenIdAnswer,
    perform: async ({ c, body }) => {
      const context = { env: c.env, settings: readOpenIdSettings(c.env), now: Date.now() }
      const known = await lookUpUnauthenticated(c, { kind: 'sign in' }, async () => {
        const answer = await answerOpenId(c.get('db'), body, readOpenIdCookie(c.req.header('cookie')), context)
        if (!('refused' in answer)) return answer
        console.warn(JSON.stringify({ requestId: c.get('requestId'), openId: { refused: answer.refused } }))
        return undefined
      })
      if (!known) throw personRefusedError(context.settings)
      return known
    },
    respond: ({ teams, from, cookie }) =>
      jsonResponse(200, { teams, from }, { headers: { 'set-cookie': formatOpenIdCookie(cookie) } }),
  }),
]
