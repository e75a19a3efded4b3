import type { Content } from '../layout.ts'
import { escapeHtml, readSections, renderCodeBlock, renderInline } from '../markup.ts'
import type { ApiReference, WebhookRequest } from './document.ts'
import { readField, readShapes, renderFields, renderShapes } from './fields.ts'
import type { Resolve } from './schema.ts'

export const WEBHOOK_PAGE = { href: '/docs/reference/webhook-requests', title: 'Requests to your address' }

/** Renders the page about requests to a receiver of webhooks: headers, statuses, and each type of event. */
export function renderWebhookPage({ webhooks, resolve }: ApiReference): Content {
  const { parameters = [], responses = {} } = webhooks[0]?.operation ?? {}
  const headers = parameters.map(each => readField({ ...each, isRequired: false }, { id: 'header', resolve }))
  const body = `<p class="crumbs"><a href="/docs/reference">API reference</a> / <a href="/docs/reference#webhooks">Webhooks</a></p>
<h1>${WEBHOOK_PAGE.title}</h1>
<p>A webhook sends each event as a POST of its own to your address. The <a href="/docs/events#webhooks">guide</a> tells how they are delivered, and has a receiver that verifies them. For programs, these requests are in <code>webhooks</code> of <a href="/openapi.json">openapi.json</a>.</p>
<h2 id="header">Headers</h2>
${renderFields(headers, 'response')}
<h2 id="responses">Your responses</h2>
<ul>${Object.entries(responses)
    .map(
      ([status, { description }]) =>
        `<li><code>${escapeHtml(status === 'default' ? 'anything else' : status)}</code>: ${renderInline(description)}</li>`,
    )
    .join('')}</ul>
<p>A test (<a href="/docs/reference/test-webhook">Test a webhook</a>) has the type <code>webhook.test</code>, the same headers but <code>webhook-sequence</code>, and <code>{"webhook": "&lt;id&gt;"}</code> as its data.</p>
${webhooks.map(request => renderEventSection(request, resolve)).join('\n')}`
  const description = 'What a webhook of Caseworker sends: headers, signature, and the body of each type of event.'
  return { body, description, sections: readSections(body) }
}

/** Renders the heading and meaning of an event. The search index has these alone, because the fields are those of the event feed. */
export const renderEventHeading = ({ name, operation }: WebhookRequest): string =>
  `<h2 id="${toEventId(name)}">${escapeHtml(name)}</h2>\n<p>${renderInline(operation.description)}</p>`

const toEventId = (name: string): string => name.replaceAll(/[._]/g, '-')

function renderEventSection(request: WebhookRequest, resolve: Resolve): string {
  const schema = request.operation.requestBody?.content['application/json']?.schema
  if (schema === undefined) return ''
  const [example] = resolve(schema).examples ?? []
  const shapes = readShapes(schema, example, { id: toEventId(request.name), resolve })
  return `${renderEventHeading(request)}
<details><summary>Fields of the body</summary>${renderShapes(shapes, 'response')}</details>
<details><summary>Example</summary>${renderCodeBlock(JSON.stringify(example, null, 2), 'json')}</details>`
}
