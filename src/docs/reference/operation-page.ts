import { escapeHtml, plainText } from '../markup/html.ts'
import { inline, markdown } from '../markup/markdown.ts'
import { fieldList, fieldsIn } from './fields.ts'
import { addressOf, type Documented, type Parameter, takesToken } from './operation.ts'
import { requestForm } from './request-form.ts'
import { errorTable, responseExample, responsesOf } from './responses.ts'
import { sampleTabs } from './sample-tabs.ts'
import { typeOf } from './schema.ts'

interface Around {
  origin: string
  /** All operations by id. */
  all: ReadonlyMap<string, Documented>
}

/** The page of one operation: what it takes, what it returns, how it is called. */
export function operationBody(documented: Documented, { origin, all }: Around): string {
  const { method, path, operation } = documented
  const folder = operation.tags[0] ?? ''
  const examples = Object.fromEntries(
    [...all.values()].flatMap(({ parameters }) => parameters.map(({ name, example }) => [name, example])).reverse(),
  ) as Record<string, unknown>
  return `<article class="operation">
<div class="intro">
<p class="crumbs"><a href="/docs/reference">API reference</a> / <a href="/docs/reference#${folderId(folder)}">${escapeHtml(folder)}</a></p>
<h1>${escapeHtml(operation.summary)}</h1>
<p class="endpoint"><span class="method ${method}">${method.toUpperCase()}</span> <code>${pathHtml(path)}</code> <a class="to-try" href="#try">Try it</a></p>
${operation.deprecated === true ? '<p class="warning">This operation is deprecated.</p>' : ''}
${markdown(operation.description)}
<ul class="needs">${needs(documented, all)
    .map(each => `<li>${each}</li>`)
    .join('')}</ul>
</div>
<div class="examples">
${sampleTabs(documented, origin)}
${responseExample(documented)}
</div>
<div class="details">
${fieldsOfOperation(documented)}
<h2 id="errors">Errors</h2>
${errorTable(documented)}
</div>
${requestForm(documented, examples)}
</article>`
}

/** Everything that is sent and returned, field by field. The search reads it, too. */
export const fieldsOfOperation = (documented: Documented): string => `${parametersOf(documented)}
${bodyOf(documented)}
<h2 id="responses">Responses</h2>
${responsesOf(documented)}`

export const folderId = (folder: string): string => folder.toLowerCase().replaceAll(' ', '-')

/** A path may be wrapped before each slash. */
export const pathHtml = (path: string): string =>
  escapeHtml(path)
    .replaceAll('/', '<wbr>/')
    .replace(/\{\w+\}/g, '<span class="parameter">$&</span>')

const SENTENCE_END = /(?<=[.!?])\s/
const DESCRIPTION_CHARACTERS_MAX = 155

/** For search engines. */
export function summaryOf({ method, path, operation }: Documented): string {
  const [first = ''] = plainText(inline(operation.description)).split(SENTENCE_END)
  const text = `${method.toUpperCase()} ${path}: ${first}`
  return text.length > DESCRIPTION_CHARACTERS_MAX ? `${text.slice(0, DESCRIPTION_CHARACTERS_MAX - 1)}…` : text
}

/** What a caller needs to know before the fields: permission, versions, safe retries. */
function needs({ operation, parameters, path, method }: Documented, all: Around['all']): string[] {
  const versions = [...all.values()].filter(
    each => each.method === method && each.path.replace(/^\/v\d/, '') === path.replace(/^\/v\d/, ''),
  )
  const newest = versions.at(-1)
  return [
    ...callerOf(operation),
    ...(parameters.some(({ name }) => name === 'Idempotency-Key')
      ? ['Can be repeated safely with an <a href="/docs/retries">idempotency key</a>']
      : []),
    ...(versions.length < 2
      ? []
      : [`Versions: ${versions.map(each => versionLink(each, each.path === path, each === newest)).join(', ')}`]),
  ]
}

/** Who may call: by a token or by the cookie of a session, where the operation says nothing else. */
function callerOf(operation: Documented['operation']): string[] {
  const permission = operation['x-permission']
  if (permission === undefined)
    return [takesToken(operation) ? 'Needs a token for some of its parameters.' : 'Needs no token.']
  return [
    `Required permission: <code>${permission}</code>`,
    ...(takesToken(operation) ? [] : ['Needs a <a href="/docs/admin">session</a>: a token is refused']),
  ]
}

function versionLink({ path, operation }: Documented, isThis: boolean, isNewest: boolean): string {
  const name = /^\/(v\d)/.exec(path)?.[1] ?? ''
  const shown = isThis ? `<strong>${name}</strong>` : `<a href="${addressOf(operation.operationId)}">${name}</a>`
  return isNewest ? `${shown} (newest)` : shown
}

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const

function parametersOf({ parameters, resolve }: Documented): string {
  return PLACES.map(([place, title]) => {
    const of = parameters.filter(each => each.in === place)
    if (of.length === 0) return ''
    const fields = of.map(fieldOf)
    return `<h2 id="${place}">${title}</h2>\n${fieldList(fields, { resolve, at: place, marksRequired: true, via: [] })}`
  }).join('\n')
}

const fieldOf = ({ name, required, schema, description, example }: Parameter) => ({
  ...{ name, schema, description, example },
  isRequired: required === true,
})

function bodyOf({ body, resolve }: Documented): string {
  if (body?.schema === undefined) return ''
  const fields = fieldsIn(body.schema, body.example, { resolve, at: 'body', marksRequired: true, via: [] })
  return `<h2 id="body">Body</h2>
<p class="kind"><code>${escapeHtml(body.type)}</code></p>
${fields === '' ? `<p>${escapeHtml(typeOf(body.schema))}</p>` : fields}`
}
