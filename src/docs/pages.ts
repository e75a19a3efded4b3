import type { Hono } from 'hono'
import type { AppEnv } from '../http/context.ts'
import { openapi } from '../http/openapi.ts'
import type { Route } from '../http/route.ts'
import { about } from './about.ts'
import { errorSections } from './errors-page.ts'
import { GUIDES, titleOf } from './guides.ts'
import { markdown } from './markdown.ts'
import { page } from './page.ts'

/** Nothing but our own files; the reference calls the API it came from. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const KEPT_SECONDS = 300

interface Page {
  method: 'get'
  path: string
  type: 'text/html; charset=utf-8' | 'application/json'
  make: () => string
}

/** What people and their tools read: it says what the routes are, and is none of them. */
export function pagesAbout(routes: readonly Route[]): Page[] {
  const known = new Set(routes.map(({ docs }) => docs?.id))
  const guides = GUIDES.filter(({ needs }) => needs === undefined || known.has(needs))
  const links = [
    { href: '/docs', title: 'API reference' },
    ...guides.map(guide => ({ href: `/docs/${guide.slug}`, title: titleOf(guide) })),
  ]
  const html = (path: string, title: string, body: string, more: object = {}): Page => ({
    method: 'get',
    path,
    type: 'text/html; charset=utf-8',
    make: () => page({ title, path, guides: links, body, ...more }),
  })
  return [
    {
      method: 'get',
      path: '/openapi.json',
      type: 'application/json',
      make: () => JSON.stringify(openapi(routes, about)),
    },
    html('/docs', 'API reference', REFERENCE, {
      menu: '<h2>Operations</h2>\n<ul id="operations"></ul>',
      script: '/docs/reference.js',
    }),
    ...guides.map(guide => {
      const sections = guide.slug === 'errors' ? errorSections() : ''
      return html(`/docs/${guide.slug}`, titleOf(guide), markdown(guide.text) + sections)
    }),
  ]
}

export function mountPages(app: Hono<AppEnv>, pages: readonly Page[]): void {
  app.get('/docs/', c => c.redirect('/docs', 308))
  for (const { path, type, make } of pages) {
    let made: string | undefined
    app.get(path, c => {
      made ??= make()
      const csp = type === 'application/json' ? {} : { 'content-security-policy': CONTENT_SECURITY_POLICY }
      return c.body(made, 200, { 'content-type': type, 'cache-control': `public, max-age=${KEPT_SECONDS}`, ...csp })
    })
  }
}

const REFERENCE = `<h1>API reference</h1>
<p>Every operation, with a form to try it. The same for machines: <a href="/openapi.json">openapi.json</a>, an OpenAPI 3.1 document.
New here? <a href="/docs/start">The first ten minutes</a> take you through the essentials.</p>
<form class="token" id="token-form">
<label for="token">Token</label>
<input id="token" class="code" type="password" autocomplete="off" spellcheck="false" placeholder="cw_…">
<p>Kept in this tab only, and sent only to this API. <code>npm start</code> prints one for the demo team.</p>
</form>
<div id="reference" aria-busy="true"><p>One moment…</p></div>
<noscript><p>The reference needs JavaScript; <a href="/openapi.json">openapi.json</a> says the same.</p></noscript>`
