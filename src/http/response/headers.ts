import type { Context, MiddlewareHandler } from 'hono'
import { SECOND_MS } from '../../time-units.ts'
import type { AppEnv } from '../context.ts'
import type { Deprecation } from '../route.ts'

const EXPOSED_HEADERS = [
  ...['Allow', 'Content-Disposition', 'Deprecation', 'ETag', 'Idempotency-Replayed', 'Link', 'Location', 'RateLimit'],
  ...[
    'RateLimit-Policy',
    'Retry-After',
    'Server-Timing',
    'Sunset',
    'WWW-Authenticate',
    'X-Request-Id',
    'X-Caseworker-Bookmark',
    'X-Caseworker-Warnings',
  ],
]
const ALLOWED_HEADERS = [
  ...[
    'Authorization',
    'Content-Type',
    'Idempotency-Key',
    'If-Match',
    'If-None-Match',
    'X-Caseworker-Bookmark',
    'X-Chakra-SDK',
  ],
]

/** Any origin may call the API with a token, never with cookies. */
const EVERY_RESPONSE = Object.entries({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS.join(','),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
})
const PREFLIGHT_RESPONSE = {
  'access-control-allow-methods': 'GET,HEAD,POST,PUT,PATCH,DELETE',
  'access-control-allow-headers': ALLOWED_HEADERS.join(','),
  'access-control-max-age': '86400',
  vary: 'Access-Control-Request-Headers',
}

/** Defaults. A response that sets one of these itself, as a page or a file does, keeps its own value. */
const NO_STORE = ['cache-control', 'no-store'] as const
const DENY_ALL_CONTENT = ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"] as const

/** Tells whether an OPTIONS request is a browser's preflight. Any other OPTIONS goes to the routes. */
const isPreflight = (c: Context): boolean =>
  c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined

/** The headers with which a JSON response is made: one object is copied faster than its headers are set one by one. */
export const JSON_HEADERS = new Headers([
  ...EVERY_RESPONSE,
  NO_STORE,
  DENY_ALL_CONTENT,
  ['content-type', 'application/json'],
])
/** The header by which a response made with `JSON_HEADERS` is recognised: no route sets it. */
const MARK = 'strict-transport-security'

/** Sets CORS, security and rate limit headers in one pass: after a handler has returned, `c.header()` copies the response each time. */
export const responseHeaders: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (isPreflight(c)) c.res = new Response(null, { status: 204, headers: PREFLIGHT_RESPONSE })
  else await next()
  const { headers, status } = c.res
  if (!headers.has(MARK)) addMissing(headers, status)
  for (const [name, value] of c.get('rate') ?? []) headers.set(name, value)
  if (c.get('replayed')) headers.set('idempotency-replayed', 'true')
}

function addMissing(headers: Headers, status: number): void {
  for (const [name, value] of EVERY_RESPONSE) headers.set(name, value)
  // The headers of a 304 replace those of the cached response, so it must not carry a policy that the page did not have.
  for (const [name, value] of status === 304 ? [NO_STORE] : [NO_STORE, DENY_ALL_CONTENT])
    if (!headers.has(name)) headers.set(name, value)
}

/** Sets the headers of RFC 9745 and RFC 8594: since when a route is deprecated, when it is removed, and what replaces it. */
export const addDeprecationHeaders =
  ({ since, sunset, successor }: Deprecation): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    await next()
    const { headers } = c.res
    headers.set('deprecation', `@${Date.parse(since) / SECOND_MS}`)
    if (sunset !== undefined) headers.set('sunset', new Date(sunset).toUTCString())
    if (successor !== undefined) headers.append('link', `<${successor}>; rel="successor-version"`)
  }
