import { TAGS } from '../about.ts'
import { codeBlock } from '../markup/code.ts'
import { escapeHtml } from '../markup/html.ts'
import { inline } from '../markup/markdown.ts'
import { addressOf, type Documented } from './operation.ts'
import { folderId, pathHtml } from './operation-page.ts'
import { WEBHOOK_REQUESTS } from './webhook-requests.ts'

/** All operations by folder, and what they have in common. */
export function overviewBody(all: ReadonlyMap<string, Documented>, origin: string): string {
  const folders = TAGS.map(({ name, description }) => {
    const operations = [...all.values()].filter(({ operation }) => operation.tags.includes(name))
    if (operations.length === 0) return ''
    return `<section aria-labelledby="${folderId(name)}">
<h2 id="${folderId(name)}"><a class="anchor" href="#${folderId(name)}">${escapeHtml(name)}</a></h2>
<p class="tag-note">${inline(description)}</p>
<ul class="operations">${operations.map(row).join('')}${name === 'Webhooks' ? `<li><a href="${WEBHOOK_REQUESTS.href}"><span class="title">${WEBHOOK_REQUESTS.title}</span></a> what a webhook sends</li>` : ''}</ul>
</section>`
  })
  return `<h1>API reference</h1>
<p>${all.size} operations, each with a page of its own: its fields, samples, errors, and a form to try it. For programs there is <a href="/openapi.json">openapi.json</a>, an OpenAPI 3.1 document, and <a href="/postman.json">postman.json</a>, a Postman collection with the same examples. New here? Read <a href="/docs/start">the first ten minutes</a>.</p>
<h2 id="base">Address and token</h2>
<p>All paths begin with the address of this installation. A token is sent as <code>authorization: Bearer</code>; its role decides what it may do. Pages of the installation itself are known by the cookie of a <a href="/docs/admin">session</a> instead. This call returns who it belongs to:</p>
${codeBlock(`curl -s ${origin}/v1/ext/me -H "authorization: Bearer $TOKEN"`, 'sh')}
<p>Each response has <code>_data</code>, <code>_meta</code> and <code>_errors</code>. Every error has a code that <a href="/docs/errors">Errors</a> explains. Sizes and rates are in <a href="/docs/limits">Limits</a>, and how to repeat a request safely in <a href="/docs/retries">Idempotency and retries</a>.</p>
${folders.join('\n')}`
}

const row = ({ method, path, operation }: Documented): string =>
  `<li><a href="${addressOf(operation.operationId)}"><span class="method ${method}">${method.toUpperCase()}</span> <span class="title">${escapeHtml(operation.summary)}</span></a> <code>${pathHtml(path)}</code></li>`
