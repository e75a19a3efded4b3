import type { Hono } from 'hono'
import type { AppEnv } from './context.ts'

/** Allows files of this Worker alone, and calls of the API that served them: a script that is injected into a page cannot run, nor send data anywhere. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // The page names its files by their contents: an old page would ask for files that are gone.
  'cache-control': 'no-cache',
}

/** Serves the admin area (`src/admin`). It is one page, whose program reads the address. */
export function mountAdmin(app: Hono<AppEnv>): void {
  app.on('GET', ['/admin', '/admin/*'], async c => {
    const page = await c.env.ASSETS.fetch(new URL('/admin/', c.req.url))
    return new Response(page.body, { headers: HEADERS })
  })
}
