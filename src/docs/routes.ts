import type { Context, Hono } from 'hono'
import type { AppEnv } from '../http/context.ts'
import { publicOrigin } from '../http/public-origin.ts'
import { contentETag, isNotModified } from '../http/response/etag.ts'
import type { Page } from './pages.ts'

/** Only files of this Worker; the reference calls the API that served it. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const KEPT_SECONDS = 300
/** The documentation may be found by search engines; the API has nothing for them. */
const ROBOTS = 'User-agent: *\nDisallow: /v1/\nDisallow: /v2/\nDisallow: /media/\nDisallow: /webhooks/\n'

const isBrowser = (c: Context): boolean => /\btext\/html\b/.test(c.req.header('accept') ?? '')

/** Each page is rendered at its first request, and again where an installation is reached at another address. */
export function mountPages(app: Hono<AppEnv>, pages: readonly Page[]): void {
  app.get('/docs/', c => c.redirect('/docs', 308))
  // A browser is redirected to the reference; for a program, `/` is not a path of the API.
  app.get('/', (c, next) => (isBrowser(c) ? c.redirect('/docs', 302) : next()))
  app.get('/robots.txt', c => c.text(ROBOTS, 200, { 'cache-control': `public, max-age=${KEPT_SECONDS}` }))
  app.get('/favicon.ico', c => c.redirect('/docs/icon.svg', 301))
  for (const { path, type, status, make } of pages) {
    let made: { origin: string; text: string; etag: string } | undefined
    app.get(path, async (c, next) => {
      if (status === 404 && !isBrowser(c)) return next()
      const origin = publicOrigin(c)
      if (made?.origin !== origin) {
        const text = make(origin)
        made = { origin, text, etag: await contentETag(text) }
      }
      const { text, etag } = made
      const csp = type === 'application/json' ? {} : { 'content-security-policy': CONTENT_SECURITY_POLICY }
      if (status === 404) return c.body(text, 404, { 'content-type': type, ...csp })
      const kept = { etag, 'cache-control': `public, max-age=${KEPT_SECONDS}`, ...csp }
      if (isNotModified(c, etag)) return c.body(null, 304, kept)
      return c.body(text, 200, { 'content-type': type, ...kept })
    })
  }
}
