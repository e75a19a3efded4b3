import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { AppEnv } from './context.ts'
import type { Deprecation } from './route-docs.ts'

const answerBrowsers = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'X-Chakra-SDK'],
  exposeHeaders: [
    ...[
      'Allow',
      'Content-Disposition',
      'Deprecation',
      'ETag',
      'Idempotency-Replayed',
      'Link',
      'Location',
      'RateLimit',
      'RateLimit-Policy',
    ],
    ...['Retry-After', 'Server-Timing', 'Sunset', 'WWW-Authenticate', 'X-Request-Id'],
  ],
  maxAge: 86_400,
})

/** Any site may call the API, with a token of its own and never with cookies. An OPTIONS that is no preflight goes on. */
export const crossOrigin: MiddlewareHandler<AppEnv> = (c, next) =>
  c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') === undefined
    ? next()
    : answerBrowsers(c, next)

/** What an answer says by itself wins: a page or a file may be kept, an answer of the API may not. */
const KEPT_BY_NOBODY = { 'cache-control': 'no-store' } as const
const RUNS_NOTHING = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" } as const
const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const

export const guarded: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  for (const [name, value] of Object.entries({ ...ALWAYS, ...c.var.rate })) c.header(name, value)
  // The headers of a 304 replace those that were kept with the page: what it does not say, stays.
  const defaults = c.res.status === 304 ? KEPT_BY_NOBODY : { ...KEPT_BY_NOBODY, ...RUNS_NOTHING }
  for (const [name, value] of Object.entries(defaults)) if (!c.res.headers.has(name)) c.header(name, value)
}

const SECOND_MS = 1000

/** The headers of RFC 9745 and RFC 8594: since when a route is on its way out, when it goes, and what replaces it. */
export const farewell =
  ({ since, sunset, successor }: Deprecation): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    await next()
    c.header('deprecation', `@${Date.parse(since) / SECOND_MS}`)
    if (sunset !== undefined) c.header('sunset', new Date(sunset).toUTCString())
    if (successor !== undefined) c.header('link', `<${successor}>; rel="successor-version"`, { append: true })
  }
