import type { Link } from './layout/menu.ts'
import { codeBlock } from './markup/code.ts'
import { escapeHtml } from './markup/html.ts'

/** What a reader may want first, in their own words. */
const WANTS: readonly { slug: string; text: string }[] = [
  { slug: 'start', text: 'Create, change and search your first processes.' },
  { slug: 'reference', text: 'Every operation, with samples and a form to try it.' },
  { slug: 'bulk', text: 'Create and change thousands of processes with one request.' },
  { slug: 'messages', text: 'Send WhatsApp templates, one by one or to all that match a query.' },
  { slug: 'client', text: 'A typed client without dependencies, and a command line.' },
  { slug: 'errors', text: 'What each error code means, and what to do.' },
]

/** The first page: what it is, where to go, and a first call. */
export function homeBody(pages: readonly Link[], origin: string): string {
  const cards = WANTS.flatMap(({ slug, text }) => {
    const page = pages.find(({ href }) => href === `/docs/${slug}`)
    const title = slug === 'reference' ? 'API reference' : page?.title
    return page && title ? [`<li><a href="${page.href}">${escapeHtml(title)}</a><p>${escapeHtml(text)}</p></li>`] : []
  })
  return `<h1>Caseworker documentation</h1>
<p class="lead">Caseworker is a business-workflow backend with an HTTP API. A team defines procedures and works on their processes: one by one, by query, or by the hundred thousand in background jobs. It also sends WhatsApp messages to customers.</p>
<ul class="cards">${cards.join('')}</ul>
<h2 id="first-call">A first call</h2>
<p>This installation is at <code>${escapeHtml(origin)}</code>. With a token in <code>TOKEN</code>, this shows whose it is:</p>
${codeBlock(`curl -s ${origin}/v1/ext/me -H "authorization: Bearer $TOKEN"`, 'sh')}`
}
