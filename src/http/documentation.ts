import type { Context, Hono } from 'hono'
import type { AppEnv } from './context.ts'
import { EXAMPLE_ORIGIN, getPublicOrigin } from './public-origin.ts'
import { computeContentETag, isNotModified } from './response/etag.ts'

/** The documents for programs. Unlike a page, they have no script that fills in the installation's own address. */
export const DOCUMENTS = [
  { method: 'get', path: '/openapi.json' },
  { method: 'get', path: '/postman.json' },
] as const

const DOCUMENT_SECONDS = 300

const isBrowser = (c: Context): boolean => /\btext\/html\b/.test(c.req.header('accept') ?? '')

/** Serves what static files can't. The documentation itself (`src/docs`) is static files, which are served without the Worker. */
export function mountDocumentation(app: Hono<AppEnv>): void {
  const readFile = (c: Context<AppEnv>, path: string) => c.env.ASSETS.fetch(new URL(path, c.req.url))

  for (const { path } of DOCUMENTS)
    app.get(path, async c => {
      const origin = getPublicOrigin(c)
      const file = await readFile(c, path)
      const etag = await computeContentETag(`${file.headers.get('etag')} ${origin}`)
      const headers = { etag, 'cache-control': `public, max-age=${DOCUMENT_SECONDS}` }
      if (isNotModified(c, etag)) return c.body(null, 304, headers)
      const text = (await file.text()).replaceAll(EXAMPLE_ORIGIN, origin)
      return c.body(text, 200, { ...headers, 'content-type': 'application/json' })
    })

  // A browser is redirected to the documentation; for a program, `/` is not a path of the API.
  app.get('/', (c, next) => (isBrowser(c) ? c.redirect('/docs', 302) : next()))
  app.get('/docs/*', async (c, next) => {
    if (!isBrowser(c)) return next()
    const { body, headers } = await readFile(c, '/docs/404')
    const policy = headers.get('content-security-policy') ?? ''
    return new Response(body, {
      status: 404,
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
    })
  })
}
