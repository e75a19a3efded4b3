import { openapi } from '../http/openapi/document.ts'
import type { Route } from '../http/route.ts'
import { about } from './about.ts'
import { errorSections } from './errors-page.ts'
import { GUIDES, titleOf } from './guides.ts'
import { markdown } from './markdown.ts'
import { page } from './page.ts'

export interface Page {
  method: 'get'
  path: string
  type: 'text/html; charset=utf-8' | 'application/json'
  /** 404: what a browser shows where there is no page; programs are answered as everywhere. */
  status?: 404
  make: () => string
}

/** What people and their tools read: it says what the routes are, and is none of them. */
export function pagesAbout(routes: readonly Route[]): Page[] {
  const known = new Set(routes.map(({ docs }) => docs?.id))
  const guides = GUIDES.filter(({ needs }) => needs === undefined || known.has(needs))
  const reference = { href: '/docs', title: 'API reference' }
  const links = guides.map(guide => ({ href: `/docs/${guide.slug}`, title: titleOf(guide) }))
  const html = (path: string, title: string, body: string, more: object = {}): Page => ({
    ...{ method: 'get', path, type: 'text/html; charset=utf-8' },
    make: () => page({ title, path, reference, guides: links, body, ...more }),
  })
  return [
    {
      method: 'get',
      path: '/openapi.json',
      type: 'application/json',
      make: () => JSON.stringify(openapi(routes, about)),
    },
    html('/docs', 'API reference', REFERENCE, {
      menu: '<ul id="operations" class="operations"></ul>',
      script: '/docs/reference.js',
    }),
    ...guides.map(guide => {
      const sections = guide.slug === 'errors' ? errorSections() : ''
      return html(`/docs/${guide.slug}`, titleOf(guide), markdown(guide.text) + sections)
    }),
    { ...html('/docs/*', 'No such page', MISSING), status: 404 },
  ]
}

const MISSING = `<h1>There is no such page</h1>
<p>The menu has all there are. Every operation is in the <a href="/docs">API reference</a>, every code of an error in <a href="/docs/errors">Errors</a>.</p>`

const REFERENCE = `<h1>API reference</h1>
<p>Every operation, with a form to try it. The same for machines: <a href="/openapi.json">openapi.json</a>, an OpenAPI 3.1 document.
New here? <a href="/docs/start">The first ten minutes</a> take you through the essentials.</p>
<form class="token" id="token-form">
<label for="token">Token</label>
<input id="token" class="code" type="password" autocomplete="off" spellcheck="false" placeholder="cw_…">
<p>Kept in this tab only, and sent only to this API. <code>npm start</code> prints one for the demo team.
With it, the examples name what your team has.</p>
<p id="token-hint" role="status"></p>
</form>
<div class="find"><label for="find">Find</label> <input id="find" type="search" autocomplete="off" spellcheck="false" placeholder="bulk, restore, /user …"> <span id="found" aria-live="polite"></span></div>
<p id="elsewhere" role="status" hidden>No operation has these words in its name or address. Codes of errors are in <a href="/docs/errors">Errors</a>, operators in <a href="/docs/queries">The query language</a>,
sizes and rates in <a href="/docs/limits">Limits</a>; members of bodies and answers are found by your browser in an operation that is open, or in <a href="/openapi.json">openapi.json</a>.</p>
<div id="reference" aria-busy="true"><p>One moment…</p></div>
<noscript><p>The reference needs JavaScript; <a href="/openapi.json">openapi.json</a> says the same.</p></noscript>`
