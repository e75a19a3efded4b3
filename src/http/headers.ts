import type { MiddlewareHandler } from 'hono'
import { cors as honoCors } from 'hono/cors'
import type { AppEnv } from './context.ts'
import type { Deprecation } from './route-docs.ts'

const corsHeaders = honoCors({
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

/** Any origin may call the API with a token, never with cookies. An OPTIONS that is no preflight goes to the routes. */
export const cors: MiddlewareHandler<AppEnv> = (c, next) =>
  c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') === undefined
    ? next()
    : corsHeaders(c, next)

/** Defaults: a response that sets one of these itself (a page, a file) keeps its own value. */
const NO_STORE = { 'cache-control': 'no-store' } as const
const DENY_ALL_CONTENT = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" } as const
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
} as const

export const securityHeaders: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  for (const [name, value] of Object.entries({ ...SECURITY_HEADERS, ...c.var.rate })) c.header(name, value)
  // The headers of a 304 replace those of the cached response, so it must not carry a policy the page did not have.
  const defaults = c.res.status === 304 ? NO_STORE : { ...NO_STORE, ...DENY_ALL_CONTENT }
  for (const [name, value] of Object.entries(defaults)) if (!c.res.headers.has(name)) c.header(name, value)
}

const SECOND_MS = 1000

/** RFC 9745 and RFC 8594: since when a route is deprecated, when it is removed, and what replaces it. */
export const deprecationHeaders =
  ({ since, sunset, successor }: Deprecation): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    await next()
    c.header('deprecation', `@${Date.parse(since) / SECOND_MS}`)
    if (sunset !== undefined) c.header('sunset', new Date(sunset).toUTCString())
    if (successor !== undefined) c.header('link', `<${successor}>; rel="successor-version"`, { append: true })
  }
