import { codeBlock } from '../markup/code.ts'
import { escapeHtml } from '../markup/html.ts'
import { inline } from '../markup/markdown.ts'
import { fieldList, fieldsIn } from './fields.ts'
import type { Parameter, ReceivedRequests } from './operation.ts'
import type { Resolve } from './schema.ts'

export const WEBHOOK_REQUESTS = { href: '/docs/reference/webhook-requests', title: 'Requests to your address' }

/** What a receiver of webhooks gets: headers, statuses, and each type of event. */
export function webhookRequestsBody({ requests, resolve }: ReceivedRequests): string {
  const [first] = requests
  const parameters = first?.operation.parameters ?? []
  const responses = Object.entries(first?.operation.responses ?? {})
  return `<p class="crumbs"><a href="/docs/reference">API reference</a> / <a href="/docs/reference#webhooks">Webhooks</a></p>
<h1>${WEBHOOK_REQUESTS.title}</h1>
<p>A webhook sends each event as a POST of its own to your address. The <a href="/docs/events#webhooks">guide</a> tells how they are delivered, and has a receiver that verifies them. For programs, these requests are in <code>webhooks</code> of <a href="/openapi.json">openapi.json</a>.</p>
<h2 id="header">Headers</h2>
${fieldList(parameters.map(fieldOf), { resolve, at: 'header', marksRequired: false, via: [] })}
<h2 id="responses">Your responses</h2>
<ul>${responses.map(([status, { description }]) => `<li><code>${escapeHtml(status === 'default' ? 'anything else' : status)}</code>: ${inline(description)}</li>`).join('')}</ul>
<p>A test (<a href="/docs/reference/test-webhook">Test a webhook</a>) has the type <code>webhook.test</code>, the same headers but <code>webhook-sequence</code>, and <code>{"webhook": "&lt;id&gt;"}</code> as its data.</p>
${requests.map(each => ofEvent(each, resolve)).join('\n')}`
}

const fieldOf = ({ name, schema, description, example }: Parameter) => ({
  ...{ name, schema, description, example, isRequired: false },
})

type ReceivedRequest = ReceivedRequests['requests'][number]

const idOf = ({ name }: ReceivedRequest): string => name.replaceAll(/[._]/g, '-')

const headOf = (request: ReceivedRequest): string =>
  `<h2 id="${idOf(request)}">${escapeHtml(request.name)}</h2>\n<p>${inline(request.operation.description)}</p>`

/** What the search knows of them: the fields are those of the feed, which it has. */
export const webhookRequestHeads = ({ requests }: ReceivedRequests): string => requests.map(headOf).join('\n')

function ofEvent(request: ReceivedRequest, resolve: Resolve): string {
  const schema = request.operation.requestBody?.content['application/json']?.schema
  if (schema === undefined) return ''
  const [example] = resolve(schema).examples ?? []
  const id = idOf(request)
  return `${headOf(request)}
<details><summary>Fields of the body</summary>${fieldsIn(schema, example, { resolve, at: id, marksRequired: false, via: [] })}</details>
<details><summary>Example</summary>${codeBlock(JSON.stringify(example, null, 2), 'json')}</details>`
}
