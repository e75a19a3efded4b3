import { openapi } from '../http/openapi/document.ts'
import type { Route } from '../http/route.ts'
import { about } from './about.ts'
import { errorSections } from './errors-page.ts'
import { GUIDES, titleOf } from './guides.ts'
import { markdown } from './markdown.ts'
import { page } from './page.ts'
import { withCodeSamples } from './samples/code-samples.ts'

export interface Page {
  method: 'get'
  path: string
  type: 'text/html; charset=utf-8' | 'application/json'
  /** 404: the page for browsers. Programs get the error envelope. */
  status?: 404
  /** `origin` is that of this installation. */
  make: (origin: string) => string
}

/** The pages about the routes, and the OpenAPI document. They are not routes themselves. */
export function pagesAbout(routes: readonly Route[]): Page[] {
  const known = new Set(routes.map(({ docs }) => docs?.id))
  const guides = GUIDES.filter(({ needs }) => needs === undefined || known.has(needs))
  const reference = { href: '/docs', title: 'API reference' }
  const links = guides.map(guide => ({ href: `/docs/${guide.slug}`, title: titleOf(guide) }))
  const html = (path: string, title: string, body: string, more: object = {}): Page => ({
    ...{ method: 'get', path, type: 'text/html; charset=utf-8' },
    make: origin => page({ title, path, reference, guides: links, body: withOrigin(body, origin), ...more }),
  })
  return [
    {
      method: 'get',
      path: '/openapi.json',
      type: 'application/json',
      make: origin => JSON.stringify(withCodeSamples(openapi(routes, { ...about, server: origin }), origin)),
    },
    html('/docs', 'API reference', REFERENCE, {
      menu: '<ul id="operations" class="operations"></ul>',
      script: '/docs/reference.js',
    }),
    ...guides.map(guide => {
      const sections = guide.slug === 'errors' ? errorSections() : ''
      return html(`/docs/${guide.slug}`, titleOf(guide), markdown(guide.text) + sections)
    }),
    { ...html('/docs/*', 'Page not found', MISSING), status: 404 },
  ]
}

const LOCAL_API = 'http://localhost:8787'
const LOCAL_TOKEN = '$(cat .wrangler/state/demo-token)'

/** The samples of the guides are for `npm start`. Elsewhere they name this installation, which has no demo team. */
function withOrigin(html: string, origin: string): string {
  const isLocal = new URL(origin).hostname === 'localhost'
  const named = html.replaceAll(LOCAL_API, origin)
  return isLocal ? named : named.replaceAll(LOCAL_TOKEN, 'cw_…')
}

const MISSING = `<h1>Page not found</h1>
<p>The menu lists all pages. All operations are in the <a href="/docs">API reference</a>, all error codes in <a href="/docs/errors">Errors</a>.</p>`

const REFERENCE = `<h1>API reference</h1>
<p>All operations, each with a form to try it. For programs: <a href="/openapi.json">openapi.json</a>, an OpenAPI 3.1 document.
New here? Read <a href="/docs/start">the first ten minutes</a>.</p>
<form class="token" id="token-form">
<label for="token">Token</label>
<input id="token" class="code" type="password" autocomplete="off" spellcheck="false" placeholder="cw_…">
<p>Stored in this tab only, and sent only to this API. <code>npm start</code> prints a token of the demo team.
With a token, the examples have the ids of your team.</p>
<p id="token-hint" role="status"></p>
</form>
<div class="find"><label for="find">Search</label> <input id="find" type="search" autocomplete="off" spellcheck="false" placeholder="bulk, restore, /user …"> <span id="found" aria-live="polite"></span></div>
<p id="elsewhere" role="status" hidden>No operation has these words in its summary or path. Error codes are in <a href="/docs/errors">Errors</a>, operators in <a href="/docs/queries">The query language</a>,
sizes and rates in <a href="/docs/limits">Limits</a>. For the fields of bodies and responses, search the page with your browser, or <a href="/openapi.json">openapi.json</a>.</p>
<div id="reference" aria-busy="true"><p>Loading…</p></div>
<noscript><p>The reference needs JavaScript. <a href="/openapi.json">openapi.json</a> has the same content.</p></noscript>`
