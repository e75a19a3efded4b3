import changelog from '../../CHANGELOG.md'
import security from '../../SECURITY.md'
import { openapi } from '../http/openapi/document.ts'
import type { Route } from '../http/route.ts'
import { about } from './about.ts'
import { errorSections } from './errors-page.ts'
import { GUIDES, titleOf } from './guides.ts'
import { homeBody } from './home-page.ts'
import { type Menu, pagesOfMenu } from './layout/menu.ts'
import { type PageContent, page } from './layout/page.ts'
import licence from './licence.md'
import { fromRepository, withOrigin } from './markup/addresses.ts'
import { firstSentences, sectionsOf } from './markup/headings.ts'
import { markdown } from './markup/markdown.ts'
import { postmanCollection } from './postman/collection.ts'
import { menuLinks } from './reference/menu-links.ts'
import { addressOf, type Documented, documented, shownDocument } from './reference/operation.ts'
import { operationBody, summaryOf } from './reference/operation-page.ts'
import { overviewBody } from './reference/overview-page.ts'
import { WEBHOOK_REQUESTS, webhookRequestHeads, webhookRequestsBody } from './reference/webhook-requests.ts'
import { withCodeSamples } from './samples/code-samples.ts'
import { type SearchEntry, searchEntries } from './search/entries.ts'
import { searchBody } from './search/search-page.ts'

export interface Page {
  method: 'get'
  path: string
  type: 'text/html; charset=utf-8' | 'application/json'
  /** 404: the page for browsers. Programs get the error envelope. */
  status?: 404
  /** `origin` is that of this installation. */
  make: (origin: string, query: string) => string
  /** The page differs by the parameter `q` of its address. */
  hasQuery?: true
}

/** The body of a page, and what is told about it elsewhere. */
type Content = Pick<PageContent, 'body' | 'description' | 'sections'>

/** The pages about the routes, and the OpenAPI document. They are not routes themselves. */
export function pagesAbout(routes: readonly Route[]): Page[] {
  const known = new Set(routes.map(({ docs }) => docs?.id))
  const guides = GUIDES.filter(({ needs }) => needs === undefined || known.has(needs))
  const menu: Menu = {
    guides: { title: 'Guides', links: guides.map(guide => ({ href: `/docs/${guide.slug}`, title: titleOf(guide) })) },
    reference: { href: '/docs/reference', title: 'API reference' },
    folders: menuLinks(routes),
  }
  const html = (
    path: string,
    title: string,
    make: (origin: string) => Content,
    more: Partial<PageContent> = {},
  ): Page => ({
    ...{ method: 'get', path, type: 'text/html; charset=utf-8' },
    make: origin => page({ title, path, origin, menu, ...make(origin), ...more }),
  })
  const text = (path: string, title: string, source: string, after: () => string = () => '') =>
    html(path, title, origin => {
      const body = markdown(withOrigin(source, origin)) + after()
      return { body, description: firstSentences(source), sections: sectionsOf(body) }
    })
  const operation = (id: string, title: string): Page =>
    html(
      addressOf(id),
      title,
      origin => {
        const all = documented(routes, origin)
        const one = all.get(id)
        return one ? ofOperation(one, origin, all) : { body: '', description: '' }
      },
      { isWide: true, script: '/docs/try.js' },
    )
  let indexed: { origin: string; entries: SearchEntry[] } | undefined
  const entries = (origin: string): SearchEntry[] => {
    if (indexed?.origin === origin) return indexed.entries
    const texts = guides.map(guide => ({
      href: `/docs/${guide.slug}`,
      title: titleOf(guide),
      html: markdown(guide.text),
    }))
    const received = { ...WEBHOOK_REQUESTS, html: webhookRequestHeads(shownDocument(routes, origin).webhooks) }
    indexed = { origin, entries: searchEntries([...documented(routes, origin).values()], [...texts, received]) }
    return indexed.entries
  }
  return [
    {
      method: 'get',
      path: '/docs/search.json',
      type: 'application/json',
      make: origin => JSON.stringify(entries(origin)),
    },
    {
      ...{ method: 'get', path: '/docs/search', type: 'text/html; charset=utf-8', hasQuery: true },
      make: (origin, query) =>
        page({
          ...{ title: 'Search', path: '/docs/search', origin, menu },
          description: 'Search the guides, operations, fields and error codes of Caseworker.',
          body: searchBody(query, query === '' ? [] : entries(origin)),
        }),
    },
    {
      method: 'get',
      path: '/openapi.json',
      type: 'application/json',
      make: origin => JSON.stringify(withCodeSamples(openapi(routes, { ...about, server: origin }), origin)),
    },
    {
      method: 'get',
      path: '/postman.json',
      type: 'application/json',
      make: origin => JSON.stringify(postmanCollection(documented(routes, origin).values(), about, origin)),
    },
    html('/docs', 'Documentation', origin => ({
      body: homeBody(pagesOfMenu(menu), origin),
      description: 'Guides and API reference of Caseworker, an API for business workflows.',
    })),
    html('/docs/reference', 'API reference', origin => ({
      body: overviewBody(documented(routes, origin), origin),
      description: 'All operations of the API by folder, each with its fields, samples, errors and a form to try it.',
    })),
    ...routes.flatMap(({ docs, summary }) => (docs === undefined ? [] : [operation(docs.id, summary)])),
    html(WEBHOOK_REQUESTS.href, WEBHOOK_REQUESTS.title, origin => {
      const body = webhookRequestsBody(shownDocument(routes, origin).webhooks)
      const description = 'What a webhook of Caseworker sends: headers, signature, and the body of each type of event.'
      return { body, description, sections: sectionsOf(body) }
    }),
    ...guides.map(guide =>
      text(`/docs/${guide.slug}`, titleOf(guide), guide.text, guide.slug === 'errors' ? errorSections : undefined),
    ),
    text('/docs/changelog', 'Changelog', fromRepository(changelog)),
    text('/docs/security', 'Security', fromRepository(security)),
    text('/docs/licence', 'Licence', licence),
    { ...html('/docs/*', 'Page not found', () => MISSING), status: 404 },
  ]
}

const ofOperation = (one: Documented, origin: string, all: ReadonlyMap<string, Documented>): Content => ({
  body: operationBody(one, { origin, all }),
  description: summaryOf(one),
})

const MISSING: Content = {
  body: `<h1>Page not found</h1>
<p>The menu lists all pages. All operations are in the <a href="/docs/reference">API reference</a>, all error codes in <a href="/docs/errors">Errors</a>.</p>`,
  description: 'There is no such page.',
}
