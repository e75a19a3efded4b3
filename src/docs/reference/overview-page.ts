import { TAGS } from '../about.ts'
import type { Content } from '../layout.ts'
import { escapeHtml, renderCodeBlock, renderInline, renderLinkedHeading } from '../markup.ts'
import { type DocumentedOperation, getOperationAddress } from './document.ts'
import { renderPath, toFolderId } from './operation-page.ts'
import { WEBHOOK_PAGE } from './webhook-page.ts'

/** Renders all operations by folder, and what they have in common. */
export const renderOverviewPage = (operations: readonly DocumentedOperation[], origin: string): Content => ({
  description: 'All operations of the API by folder, each with its fields, samples, errors and a form to try it.',
  body: `<h1>API reference</h1>
<p>${operations.length} operations, each with a page of its own: its fields, samples, errors, and a form to try it. For programs there is <a href="/openapi.json">openapi.json</a>, an OpenAPI 3.1 document, and <a href="/postman.json">postman.json</a>, a Postman collection with the same examples. New here? Read <a href="/docs/start">the first ten minutes</a>.</p>
<h2 id="base">Address and token</h2>
<p>All paths begin with the address of this installation. A token is sent as <code>authorization: Bearer</code>; its role decides what it may do. Pages of the installation itself are known by the cookie of a <a href="/docs/signing-in">session</a> instead. This call returns who it belongs to:</p>
${renderCodeBlock(`curl -s ${origin}/v1/ext/me -H "authorization: Bearer $TOKEN"`, 'sh')}
<p>Each response has <code>_data</code>, <code>_meta</code> and <code>_errors</code>. Every error has a code that <a href="/docs/errors">Errors</a> explains. Sizes and rates are in <a href="/docs/limits">Limits</a>, and how to repeat a request safely in <a href="/docs/retries">Idempotency and retries</a>.</p>
${TAGS.map(tag => renderFolderSection(tag, operations)).join('\n')}`,
})

function renderFolderSection(
  { name, description }: (typeof TAGS)[number],
  operations: readonly DocumentedOperation[],
): string {
  const rows = operations.filter(({ operation }) => operation.tags.includes(name)).map(renderOperationRow)
  const webhooks = `<li><a href="${WEBHOOK_PAGE.href}"><span class="title">${WEBHOOK_PAGE.title}</span></a> what a webhook sends</li>`
  return `<section aria-labelledby="${toFolderId(name)}">
${renderLinkedHeading(2, toFolderId(name), escapeHtml(name))}
<p class="tag-note">${renderInline(description)}</p>
<ul class="operations">${rows.join('')}${name === 'Webhooks' ? webhooks : ''}</ul>
</section>`
}

const renderOperationRow = ({ method, path, operation }: DocumentedOperation): string =>
  `<li><a href="${getOperationAddress(operation.operationId)}"><span class="method ${method}">${method.toUpperCase()}</span> <span class="title">${escapeHtml(operation.summary)}</span></a> <code>${renderPath(path)}</code></li>`
