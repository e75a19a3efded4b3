import { ERROR_CODES } from '../errors.ts'
import { buildOpenApiDocument } from '../http/openapi/document.ts'
import type { DocumentedRoute } from '../http/openapi/route-docs.ts'
import { STATUS_BY_CODE } from '../http/response/status.ts'
import { about, TAGS } from './about.ts'
import { explainError } from './errors.ts'
import { type Content, type Link, listPages, type Menu, type Page, renderPage } from './layout.ts'
import {
  escapeHtml,
  readSections,
  renderCodeBlock,
  renderInline,
  renderLinkedHeading,
  renderMarkdown,
  summarize,
} from './markup.ts'
import { buildPostmanCollection } from './postman.ts'
import { getOperationAddress, readReference } from './reference/document.ts'
import { renderOperationPage } from './reference/operation-page.ts'
import { renderOverviewPage } from './reference/overview-page.ts'
import { renderEventHeading, renderWebhookPage, WEBHOOK_PAGE } from './reference/webhook-page.ts'
import { addCodeSamples } from './samples/samples.ts'
import { buildSearchIndex } from './search-index.ts'

/** The guides, in the order of the menu. Each is `guides/<name>.md`, at `/docs/<name>`. */
export const GUIDES = [
  'start',
  'procedures',
  'queries',
  'customers',
  'history',
  'bulk',
  'messages',
  'events',
  'admin-area',
  'signing-in',
  'keys',
  'retries',
  'client',
  'errors',
  'limits',
  'costs',
  'moving',
  'running',
] as const

/** The texts of the repository that become pages. */
export interface Texts {
  guides: Record<(typeof GUIDES)[number], string>
  changelog: string
  security: string
  licence: string
}

/**
 * Renders the files of the documentation, by their paths in `dist/site`: a page for each guide and operation, the index of the
 * search, and two documents for programs. They name the installation by an example address, which the script of the pages
 * replaces by the real one, and the Worker does so in the documents.
 */
export function renderSite(routes: readonly DocumentedRoute[], texts: Texts): Map<string, string> {
  const origin = about.server
  const document = buildOpenApiDocument(routes, about)
  const reference = readReference(document)
  const { operations, webhooks } = reference
  const examples = Object.fromEntries(
    operations.flatMap(({ parameters }) => parameters.map(({ name, example }) => [name, example])).reverse(),
  ) as Record<string, unknown>
  const guides = GUIDES.map((name): Page => {
    const text = texts.guides[name]
    const title = /^# (.+)$/m.exec(text)?.[1] ?? ''
    return {
      path: `/docs/${name}`,
      title,
      ...renderTextPage(toInstallation(text), name === 'errors' ? renderErrorSections() : ''),
    }
  })
  const menu: Menu = {
    guides: { title: 'Guides', links: guides.map(({ path = '', title }) => ({ href: path, title })) },
    reference: { href: '/docs/reference', title: 'API reference' },
    folders: TAGS.map(({ name }) => ({
      title: name,
      links: [
        ...operations
          .filter(({ operation }) => operation.tags.includes(name))
          .map(({ method, operation }) => ({
            href: getOperationAddress(operation.operationId),
            title: operation.summary,
            method,
          })),
        ...(name === 'Webhooks' ? [WEBHOOK_PAGE] : []),
      ],
    })),
  }
  const pages: Page[] = [
    { path: '/docs', title: 'Documentation', ...renderHomePage(listPages(menu), origin) },
    { path: '/docs/search', title: 'All pages', ...renderContentsPage(menu) },
    { path: '/docs/reference', title: 'API reference', ...renderOverviewPage(operations, origin) },
    ...operations.map((documented): Page => {
      const { operationId, summary } = documented.operation
      const content = renderOperationPage(documented, { origin, operations, examples })
      return { path: getOperationAddress(operationId), title: summary, isOperation: true, ...content }
    }),
    { path: WEBHOOK_PAGE.href, title: WEBHOOK_PAGE.title, ...renderWebhookPage(reference) },
    ...guides,
    { path: '/docs/changelog', title: 'Changelog', ...renderTextPage(linkToPages(texts.changelog)) },
    { path: '/docs/security', title: 'Security', ...renderTextPage(linkToPages(texts.security)) },
    { path: '/docs/licence', title: 'Licence', ...renderLicencePage(texts.licence) },
  ]
  const indexed = [
    ...GUIDES.map((name, nth) => ({
      href: `/docs/${name}`,
      title: guides[nth]?.title ?? '',
      html: renderMarkdown(texts.guides[name]),
    })),
    { ...WEBHOOK_PAGE, html: webhooks.map(renderEventHeading).join('\n') },
  ]
  return new Map([
    ...pages.map((page): [string, string] => [`${page.path}.html`, renderPage(page, menu)]),
    ['/docs/404.html', renderPage({ title: 'Page not found', ...MISSING }, menu)],
    ['/docs/search.json', JSON.stringify(buildSearchIndex(operations, indexed))],
    ['/openapi.json', JSON.stringify(addCodeSamples(document, origin))],
    ['/postman.json', JSON.stringify(buildPostmanCollection(operations, about))],
  ])
}

function renderTextPage(markdown: string, after = ''): Content {
  const body = renderMarkdown(markdown) + after
  return { body, description: summarize(markdown), sections: readSections(body) }
}

const LOCAL_ORIGIN = 'http://localhost:8787'
const LOCAL_TOKEN = '$(cat .wrangler/state/demo-token)'

/** Adapts the samples of the guides, which are for `npm start`: an installation has another address, and no demo team. */
const toInstallation = (markdown: string): string =>
  markdown.replaceAll(LOCAL_ORIGIN, about.server).replaceAll(LOCAL_TOKEN, 'cw_…')

/** Adapts a document of the repository: links to guides lead to their pages, links to other files become text. */
const linkToPages = (markdown: string): string =>
  markdown
    .replace(/\]\(src\/docs\/guides\/(\w+)\.md(#[\w-]+)?\)/g, '](/docs/$1$2)')
    .replace(/\[([^\]]+)\]\((?!\/|https:|#)[^)]+\)/g, '$1')
    .replace(/^## \[(.+)\]/gm, '## $1')

/** The entries that readers may want first, in their own words. */
const WISHES: Record<string, string> = {
  start: 'Create, change and search your first processes.',
  reference: 'Every operation, with samples and a form to try it.',
  bulk: 'Create and change thousands of processes with one request.',
  messages: 'Send WhatsApp templates, one by one or to all that match a query.',
  client: 'A typed client without dependencies, and a command line.',
  errors: 'What each error code means, and what to do.',
}

/** Renders the first page: what this is, where to go, and a first call. */
function renderHomePage(pages: readonly Link[], origin: string): Content {
  const cards = Object.entries(WISHES).map(([name, text]) => {
    const href = `/docs/${name}`
    const title = pages.find(page => page.href === href)?.title ?? ''
    return `<li><a href="${href}">${escapeHtml(title)}</a><p>${escapeHtml(text)}</p></li>`
  })
  const body = `<h1>Caseworker documentation</h1>
<p class="lead">Caseworker is a business-workflow backend with an HTTP API. A team defines procedures and works on their processes: one by one, by query, or by the hundred thousand in background jobs. It also sends WhatsApp messages to customers.</p>
<ul class="cards">${cards.join('')}</ul>
<h2 id="first-call">A first call</h2>
<p>This installation is at <code>${origin}</code>. With a token in <code>TOKEN</code>, this shows whose it is:</p>
${renderCodeBlock(`curl -s ${origin}/v1/ext/me -H "authorization: Bearer $TOKEN"`, 'sh')}`
  return { body, description: 'Guides and API reference of Caseworker, an API for business workflows.' }
}

/** Renders the list of contents, for readers without a script. With one, the search opens above it. */
function renderContentsPage({ guides, reference, folders }: Menu): Content {
  const list = (links: readonly Link[]) =>
    `<ul>${links.map(({ href, title }) => `<li><a href="${href}">${escapeHtml(title)}</a></li>`).join('')}</ul>`
  const body = `<h1>All pages</h1>
<noscript><p>The search needs JavaScript. This is everything that there is.</p></noscript>
<h2 id="guides">Guides</h2>
${list(guides.links)}
<h2 id="reference"><a href="${reference.href}">${escapeHtml(reference.title)}</a></h2>
${folders.map(({ title, links }) => `<h3>${escapeHtml(title)}</h3>\n${list(links)}`).join('\n')}`
  return { body, description: 'All guides and operations of Caseworker, and the search among them.' }
}

const RETRY_ADVICE = {
  no: 'No. The same request would be refused again.',
  yes: 'Yes, after the seconds in `retry-after`.',
  'with an idempotency key': 'Yes. Send a change with the same `idempotency-key`.',
} as const

/** Renders one section for each code, to which the `docs` of an error points. */
const renderErrorSections = (): string =>
  ERROR_CODES.map(code => {
    const { title, cause, remedy, retry, example } = explainError(code)
    const { message, path, hint, detail } = example
    const error = { code, message, path, hint, ...detail, docs: `…/docs/errors#${code}` }
    return `<section aria-labelledby="${code}">
${renderLinkedHeading(2, code, `<code>${code}</code>`)}
<p><span class="status bad">${STATUS_BY_CODE[code]}</span> <strong>${escapeHtml(title)}.</strong> ${renderInline(cause)}</p>
<p><strong>Remedy:</strong> ${renderInline(remedy)}</p>
<p><strong>Retry?</strong> ${renderInline(RETRY_ADVICE[retry])}</p>
${renderCodeBlock(JSON.stringify(error, null, 2), 'json')}
</section>`
  }).join('\n')

const renderLicencePage = (licence: string): Content => ({
  body: `<h1>Licence</h1>
<p>Caseworker is free software. You may use, change and pass it on under the MIT License:</p>
${renderCodeBlock(licence.trim(), 'text')}`,
  description: 'Caseworker is free software under the MIT License.',
})

const MISSING: Content = {
  body: `<h1>Page not found</h1>
<p>The menu lists all pages. All operations are in the <a href="/docs/reference">API reference</a>, all error codes in <a href="/docs/errors">Errors</a>.</p>`,
  description: 'There is no such page.',
}
