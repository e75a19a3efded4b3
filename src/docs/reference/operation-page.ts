import { ERROR_CODES } from '../../errors.ts'
import { STATUS_BY_CODE } from '../../http/response/status.ts'
import { explainError } from '../errors.ts'
import type { Content } from '../layout.ts'
import {
  escapeHtml,
  renderCodeBlock,
  renderInline,
  renderMarkdown,
  renderScrollable,
  shorten,
  toPlainText,
} from '../markup.ts'
import { buildSamples } from '../samples/samples.ts'
import {
  type DocumentedOperation,
  getOperationAddress,
  isError,
  type OperationResponse,
  type Parameter,
  takesToken,
} from './document.ts'
import { type Field, readField, readShapes, renderFields, renderShapes, type Shape } from './fields.ts'
import { formatType } from './schema.ts'

interface Reference {
  origin: string
  operations: readonly DocumentedOperation[]
  /** An example of each parameter, by its name. The form replaces it by the team's own ids. */
  examples: Record<string, unknown>
}

/** Renders the page of one operation: its fields, its responses, samples, and a form to try it. */
export function renderOperationPage(documented: DocumentedOperation, reference: Reference): Content {
  const { method, path, operation } = documented
  const folder = operation.tags[0] ?? ''
  const body = `<article class="operation">
<div class="intro">
<p class="crumbs"><a href="/docs/reference">API reference</a> / <a href="/docs/reference#${toFolderId(folder)}">${escapeHtml(folder)}</a></p>
<h1>${escapeHtml(operation.summary)}</h1>
<p class="endpoint"><span class="method ${method}">${method.toUpperCase()}</span> <code>${renderPath(path)}</code> <a class="to-try" href="#try">Try it</a></p>
${operation.deprecated === true ? '<p class="warning">This operation is deprecated.</p>' : ''}
${renderMarkdown(operation.description)}
<ul class="needs">${listNeeds(documented, reference.operations)
    .map(need => `<li>${need}</li>`)
    .join('')}</ul>
</div>
<div class="examples">
${renderSampleTabs(documented, reference.origin)}
${renderResponseExample(documented)}
</div>
<div class="details">
${renderParameterSections(documented)}
${renderBodySection(documented)}
<h2 id="responses">Responses</h2>
${renderResponseSections(documented)}
<h2 id="errors">Errors</h2>
${renderErrorTable(documented)}
</div>
${renderRequestForm(documented, reference.examples)}
</article>`
  return { body, description: describeOperation(documented) }
}

export const toFolderId = (folder: string): string => folder.toLowerCase().replaceAll(' ', '-')

/** Renders a path that may be wrapped before each slash. */
export const renderPath = (path: string): string =>
  escapeHtml(path)
    .replaceAll('/', '<wbr>/')
    .replace(/\{\w+\}/g, '<span class="parameter">$&</span>')

const SENTENCE_END = /(?<=[.!?])\s/

/** Describes an operation for search engines: its address, and the first sentence of its description. */
function describeOperation({ method, path, operation }: DocumentedOperation): string {
  const [sentence = ''] = toPlainText(renderInline(operation.description)).split(SENTENCE_END)
  return shorten(`${method.toUpperCase()} ${path}: ${sentence}`)
}

/** Lists what a caller needs to know before the fields: permission, versions, safe retries. */
function listNeeds(
  { operation, parameters, path, method }: DocumentedOperation,
  all: Reference['operations'],
): string[] {
  const withoutVersion = (address: string) => address.replace(/^\/v\d/, '')
  const versions = all.filter(other => other.method === method && withoutVersion(other.path) === withoutVersion(path))
  const links = versions.map(version => {
    const name = /^\/(v\d)/.exec(version.path)?.[1] ?? ''
    const address = getOperationAddress(version.operation.operationId)
    const link = version.path === path ? `<strong>${name}</strong>` : `<a href="${address}">${name}</a>`
    return version === versions.at(-1) ? `${link} (newest)` : link
  })
  return [
    ...listCallers(operation),
    ...(parameters.some(({ name }) => name === 'Idempotency-Key')
      ? ['Can be repeated safely with an <a href="/docs/retries">idempotency key</a>']
      : []),
    ...(links.length > 1 ? [`Versions: ${links.join(', ')}`] : []),
  ]
}

/** Lists who may call: by a token or the cookie of a session, unless the operation says otherwise. */
function listCallers(operation: DocumentedOperation['operation']): string[] {
  const permission = operation['x-permission']
  if (permission === undefined)
    return [takesToken(operation) ? 'Needs a token for some of its parameters.' : 'Needs no token.']
  return [
    `Required permission: <code>${permission}</code>`,
    ...(takesToken(operation) ? [] : ['Needs a <a href="/docs/signing-in">session</a>: a token is refused']),
  ]
}

/** Renders the request in each language. The tabs are radio buttons, so that they change without a script. */
function renderSampleTabs(documented: DocumentedOperation, origin: string): string {
  const samples = buildSamples(documented, origin)
  const tabs = samples.map(({ label }, nth) => {
    const id = `sample-${nth + 1}`
    return `<input type="radio" name="sample" id="${id}" value="${label}"${nth === 0 ? ' checked' : ''}><label for="${id}">${label}</label>`
  })
  const panels = samples.map(
    ({ label, language, code }) =>
      `<div class="panel" data-label="${label}" data-language="${language}">${renderCodeBlock(code, language, undefined, `Request, ${label}`)}</div>`,
  )
  return `<section class="tabs" aria-label="Request"><fieldset><legend>Request</legend>${tabs.join('')}</fieldset>${panels.join('')}</section>`
}

/** Renders the example beside the fields: of the first success that has one. */
function renderResponseExample({ responses }: DocumentedOperation): string {
  for (const [status, { content }] of responses) {
    const example = Object.values(content ?? {})[0]?.example
    if (Number(status) >= 300 || example === undefined) continue
    return typeof example === 'string'
      ? renderCodeBlock(example, 'text', `Response ${status}`)
      : renderCodeBlock(JSON.stringify(example, null, 2), 'json', `Response ${status}`)
  }
  return ''
}

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const

/** Lists everything that is sent and returned, field by field. The search index reads it, too. */
export const listFields = (documented: DocumentedOperation): Field[] => [
  ...PLACES.flatMap(([place]) => readParameterFields(documented, place)),
  ...[
    readBodyShapes(documented),
    ...documented.responses.filter(each => !isError(each)).map(each => readResponseShapes(each, documented)),
  ]
    .flat()
    .flatMap(listNestedFields),
]

const listNestedFields = ({ fields }: Shape): Field[] =>
  fields.flatMap(field => [field, ...field.shapes.flatMap(listNestedFields)])

const readParameterFields = ({ parameters, resolve }: DocumentedOperation, place: Parameter['in']): Field[] =>
  parameters
    .filter(each => each.in === place)
    .map(({ required, ...each }) => readField({ ...each, isRequired: required === true }, { id: place, resolve }))

const renderParameterSections = (documented: DocumentedOperation): string =>
  PLACES.map(([place, title]) => {
    const fields = readParameterFields(documented, place)
    return fields.length === 0 ? '' : `<h2 id="${place}">${title}</h2>\n${renderFields(fields, 'request')}`
  }).join('\n')

const readBodyShapes = ({ body, resolve }: DocumentedOperation): Shape[] =>
  body?.schema === undefined ? [] : readShapes(body.schema, body.example, { id: 'body', resolve })

function renderBodySection(documented: DocumentedOperation): string {
  const { body } = documented
  if (body?.schema === undefined) return ''
  const shapes = readBodyShapes(documented)
  return `<h2 id="body">Body</h2>
<p class="kind"><code>${escapeHtml(body.type)}</code></p>
${shapes.length === 0 ? `<p>${escapeHtml(formatType(body.schema))}</p>` : renderShapes(shapes, 'request')}`
}

function readResponseShapes(
  [status, { content }]: [string, OperationResponse],
  { resolve }: DocumentedOperation,
): Shape[] {
  const [media] = Object.values(content ?? {})
  return media?.schema === undefined
    ? []
    : readShapes(media.schema, media.example, { id: `response-${status}`, resolve })
}

const renderCodes = (names: readonly string[]): string =>
  names.map(name => `<code>${escapeHtml(name)}</code>`).join(', ')

/** Renders the contents of each response. The first success is open. */
const renderResponseSections = (documented: DocumentedOperation): string =>
  documented.responses
    .filter(each => !isError(each))
    .map(([status, response], nth) => {
      const types = Object.keys(response.content ?? {})
      const otherTypes = Object.keys(response['x-other-content'] ?? {}).filter(type => !types.includes(type))
      const headers = Object.keys(response.headers ?? {})
      const formats = otherTypes.length === 0 ? '' : `; other formats: ${renderCodes(otherTypes)}`
      return `<details class="response" id="response-${status}"${nth === 0 ? ' open' : ''}><summary><span class="status ${Number(status) < 400 ? 'good' : 'bad'}">${status}</span> ${renderInline(response.description)}</summary>
<p class="kind">${types.length === 0 ? 'No body.' : `${renderCodes(types)}${formats}`}</p>${renderShapes(readResponseShapes([status, response], documented), 'response')}
${headers.length === 0 ? '' : `<p class="kind">Headers: ${renderCodes(headers)}</p>`}</details>`
    })
    .join('')

/** Renders every code that the operation may return, with its explanation. */
function renderErrorTable({ responses }: DocumentedOperation): string {
  const declared = responses
    .filter(isError)
    .flatMap(([, { content }]) => Object.keys(content?.['application/json']?.examples ?? {}))
  const rows = ERROR_CODES.filter(code => declared.includes(code))
    .sort((one, other) => STATUS_BY_CODE[one] - STATUS_BY_CODE[other])
    .map(
      code =>
        `<tr><td><span class="status bad">${STATUS_BY_CODE[code]}</span></td><td><a href="/docs/errors#${code}"><code>${code}</code></a></td><td>${escapeHtml(explainError(code).title)}</td></tr>`,
    )
  return renderScrollable(
    'Errors',
    `<table class="errors"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`,
  )
}

/** Renders the form that sends a request from the page. The script `site/docs/try.js` shows it, and fills in the team's own ids. */
function renderRequestForm(documented: DocumentedOperation, examples: Reference['examples']): string {
  const { method, path, operation, parameters, body } = documented
  const isMain = ({ in: place, required }: Parameter) => place === 'path' || required === true
  const optional = parameters.filter(each => !isMain(each))
  const names = optional.map(({ name }) => `<code>${escapeHtml(name)}</code>`).join(', ')
  return `<section id="try" aria-labelledby="try-title">
<h2 id="try-title">Try it</h2>
<form class="try" hidden data-method="${method}" data-path="${escapeHtml(path)}" data-operation="${operation.operationId}"${
    operation.security === undefined ? '' : ' data-open'
  } data-type="${escapeHtml(body?.type ?? '')}" data-examples="${escapeHtml(JSON.stringify(examples))}">
${takesToken(operation) ? TOKEN_INPUT : ''}
<div class="inputs">${parameters.filter(isMain).map(renderParameterInput).join('')}</div>
${optional.length === 0 ? '' : `<details class="more"><summary>${names}</summary><div class="inputs">${optional.map(renderParameterInput).join('')}</div></details>`}
${renderBodyInput(documented)}
<div class="actions"><button class="primary">Send</button></div>
<div class="result" aria-live="polite"></div>
</form>
<noscript><p>The form needs JavaScript. The samples of this page do the same.</p></noscript>
</section>`
}

/** The input of the token, which the script keeps in this tab, for all pages. */
const TOKEN_INPUT = `<div class="input token"><label for="token">Token</label>
<input id="token" class="code" type="password" autocomplete="off" spellcheck="false" placeholder="cw_…" aria-describedby="token-hint">
<p id="token-hint">Stored in this tab only, and sent only to this API. <code>npm start</code> prints a token of the demo team. With a token, the examples have the ids of your team.</p></div>`

function renderParameterInput({ name, in: place, required, example }: Parameter): string {
  const id = `in-${name}`
  const value = place === 'header' || example === undefined ? '' : ` value="${escapeHtml(String(example))}"`
  const hint = required === true ? '' : ' placeholder="optional"'
  return `<div class="input"><label for="${id}">${escapeHtml(name)}</label><input id="${id}" class="code" name="${escapeHtml(name)}" data-in="${place}" autocomplete="off" spellcheck="false"${hint}${value}></div>`
}

const BODY_LINES_MAX = 18

function renderBodyInput({ body }: DocumentedOperation): string {
  if (body === undefined) return ''
  if (body.type === 'multipart/form-data')
    return '<div class="input"><label for="in-file">file</label><input id="in-file" name="file" data-in="file" type="file"></div>'
  const text = JSON.stringify(body.example ?? {}, null, 2)
  const lines = Math.min(BODY_LINES_MAX, text.split('\n').length + 1)
  return `<div class="input"><label for="in-body">Body</label><textarea id="in-body" class="code" name="body" data-in="body" rows="${lines}" autocomplete="off" spellcheck="false">\n${escapeHtml(text)}</textarea></div>`
}
