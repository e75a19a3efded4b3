import type { Context, Hono, Next } from 'hono'
import { cacheOf } from '../cache.ts'
import type { AppEnv } from '../http/context.ts'
import { publicOrigin } from '../http/public-origin.ts'
import { limitQueries } from '../http/request/stranger.ts'
import { contentETag, isNotModified } from '../http/response/etag.ts'
import type { Page } from './pages.ts'

/** Only files of this Worker; the reference calls the API that served it. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const KEPT_SECONDS = 300
/** The documentation may be found by search engines; the API has nothing for them. */
const ROBOTS = 'User-agent: *\nDisallow: /v1/\nDisallow: /v2/\nDisallow: /media/\nDisallow: /webhooks/\n'

const isBrowser = (c: Context): boolean => /\btext\/html\b/.test(c.req.header('accept') ?? '')

interface Made {
  text: string
  etag: string
}
const PAGES_BYTES_MAX = 4 * 1024 * 1024
const BYTES_PER_CHARACTER = 2

/**
 * Each page is rendered when it is asked for, and kept: one for each address under which an installation is reached. All
 * of `/docs` is one route, because the router looks at each route of as many segments in turn.
 */
export function mountPages(app: Hono<AppEnv>, pages: readonly Page[]): void {
  const made = cacheOf<Made>(PAGES_BYTES_MAX, ({ text }) => BYTES_PER_CHARACTER * text.length)
  const byPath = new Map(pages.map(page => [page.path, page]))
  const missing = pages.find(({ status }) => status === 404)

  async function madeOf(page: Page, c: Context<AppEnv>): Promise<Made> {
    const origin = publicOrigin(c)
    const query = (page.hasQuery && c.req.query('q')) || ''
    const key = `${origin} ${page.path}`
    const known = query === '' ? made.get(key) : undefined
    if (known !== undefined) return known
    if (query !== '') await limitQueries(c)
    const text = page.make(origin, query)
    const fresh = { text, etag: await contentETag(text) }
    // Anybody can think of any number of queries: those pages would drive out the others.
    if (query === '') made.set(key, fresh)
    return fresh
  }

  async function respond(c: Context<AppEnv>, next: Next) {
    const page = byPath.get(c.req.path) ?? missing
    if (page === undefined || (page === missing && !isBrowser(c))) return next()
    const { text, etag } = await madeOf(page, c)
    const csp = page.type === 'application/json' ? {} : { 'content-security-policy': CONTENT_SECURITY_POLICY }
    if (page === missing) return c.body(text, 404, { 'content-type': page.type, ...csp })
    const kept = { etag, 'cache-control': `public, max-age=${KEPT_SECONDS}`, ...csp }
    if (isNotModified(c, etag)) return c.body(null, 304, kept)
    return c.body(text, 200, { 'content-type': page.type, ...kept })
  }

  app.get('/docs/', c => c.redirect('/docs', 308))
  // A browser is redirected to the documentation; for a program, `/` is not a path of the API.
  app.get('/', (c, next) => (isBrowser(c) ? c.redirect('/docs', 302) : next()))
  app.get('/robots.txt', c => c.text(ROBOTS, 200, { 'cache-control': `public, max-age=${KEPT_SECONDS}` }))
  app.get('/favicon.ico', c => c.redirect('/docs/icon.svg', 301))
  app.get('/openapi.json', respond)
  app.get('/postman.json', respond)
  app.get('/docs', respond)
  app.get('/docs/*', respond)
}
