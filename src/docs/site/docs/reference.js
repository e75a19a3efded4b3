// Renders /openapi.json: each operation with its parameters, body, responses and errors, and a form to try it.
import { block, json } from './code.js'
import { inline, make, prose } from './make.js'
import { insideOf, limitsOf, resolve, row, spec, typeOf } from './schema.js'
import { tryOf } from './try.js'

const reference = document.getElementById('reference')
const tokenField = document.getElementById('token')
tokenField.form.addEventListener('submit', event => event.preventDefault())
const keepToken = () => sessionStorage.setItem('token', tokenField.value.trim())
tokenField.addEventListener('input', keepToken)
// The token may have been pasted before this script was loaded.
if (tokenField.value === '') tokenField.value = sessionStorage.getItem('token') ?? ''
else keepToken()

const heading = text => make('h4', {}, text)

function parametersOf(operation) {
  const parameters = (operation.parameters ?? []).map(resolve)
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, in: place, required, schema, description }) =>
    row(name, {
      type: `${place} · ${typeOf(schema)}`,
      limits: limitsOf(schema),
      isRequired: required,
      note: description,
    }),
  )
  return [heading('Parameters'), make('ul', { class: 'members' }, rows)]
}

function bodyOf(operation) {
  const [[type, media] = []] = Object.entries(operation.requestBody?.content ?? {})
  if (!media) return []
  const inside = insideOf(media.schema, ['body'])
  return [
    heading('Body'),
    make('p', { class: 'kind' }, make('code', {}, type)),
    inside ?? make('p', {}, typeOf(media.schema)),
  ]
}

/** Errors have an example for each code. Another response may have such a status, too: of a service that is not well. */
const errorExamples = response => resolve(response).content?.['application/json']?.examples
const isError = ([status, response]) => status >= 400 && errorExamples(response) !== undefined

function responsesOf(operation) {
  const others = Object.entries(operation.responses).filter(each => !isError(each))
  return [
    heading('Responses'),
    ...others.map(([status, response]) => {
      const [[type, media] = []] = Object.entries(response.content ?? {})
      const headers = Object.keys(response.headers ?? {})
      const data = media?.schema?.properties?._data ?? media?.schema
      return make(
        'details',
        { class: 'response' },
        make('summary', {}, make('span', { class: 'status good' }, status), ' ', inline(response.description)),
        data
          ? make('p', { class: 'kind' }, make('code', {}, type), ' ', make('span', { class: 'type' }, typeOf(data)))
          : undefined,
        data ? insideOf(data, []) : undefined,
        headers.length > 0
          ? make(
              'p',
              { class: 'kind' },
              'Headers: ',
              headers.flatMap((name, at) => [at ? ', ' : '', make('code', {}, name)]),
            )
          : undefined,
      )
    }),
  ]
}

function errorsOf(operation) {
  const codes = Object.entries(operation.responses)
    .filter(isError)
    .flatMap(([status, response]) =>
      Object.keys(errorExamples(response)).map(code =>
        make(
          'li',
          {},
          make('a', { href: `/docs/errors#${code}` }, make('span', { class: 'status bad' }, status), ` ${code}`),
        ),
      ),
    )
  return [heading('Errors'), make('ul', { class: 'codes' }, codes)]
}

/** The first success response that has an example. */
function exampleOf(operation) {
  for (const [status, response] of Object.entries(operation.responses).filter(([each]) => each < 300)) {
    const media = Object.values(response.content ?? {})[0]
    if (media?.example === undefined) continue
    const title = `Response ${status}`
    return typeof media.example === 'string' ? block(media.example, 'json', { title }) : json(media.example, { title })
  }
  return undefined
}

function contentOf(method, path, operation) {
  const { command, form } = tryOf(method, path, operation)
  const permission = operation['x-permission']
  const description = make(
    'div',
    { class: 'description' },
    prose(operation.description),
    make(
      'p',
      { class: 'needs' },
      permission ? ['Required permission: ', make('code', {}, permission)] : 'Needs no token.',
    ),
    parametersOf(operation),
    bodyOf(operation),
    responsesOf(operation),
    errorsOf(operation),
  )
  const facts = make(
    'div',
    { class: 'facts' },
    description,
    make('div', { class: 'examples' }, command, exampleOf(operation)),
  )
  return make('div', { class: 'content' }, facts, heading('Try it'), form)
}

function operationOf(method, path, operation) {
  const details = make(
    'details',
    { class: 'operation', id: operation.operationId },
    make(
      'summary',
      {},
      make('span', { class: `method ${method}` }, method.toUpperCase()),
      make('h3', {}, operation.summary, operation.deprecated ? ' (deprecated)' : ''),
      make(
        'span',
        { class: 'path' },
        path.split(/(?=\/)/).flatMap(part => [make('wbr'), part]),
      ),
    ),
  )
  // Most operations are never opened: each is built when it is.
  details.addEventListener('toggle', () => details.append(contentOf(method, path, operation)), { once: true })
  return details
}

const all = Object.entries(spec.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const menu = document.getElementById('operations')
reference.replaceChildren()
for (const { name, description } of spec.tags) {
  const inTag = all.filter(({ operation }) => operation.tags?.includes(name))
  if (inTag.length === 0) continue
  const id = name.toLowerCase().replaceAll(' ', '-')
  reference.append(
    make(
      'section',
      { 'aria-labelledby': id },
      make('h2', { id }, name),
      make('p', { class: 'tag-note' }, inline(description)),
      ...inTag.map(({ method, path, operation }) => operationOf(method, path, operation)),
    ),
  )
  const links = inTag.map(({ method, operation: { operationId, summary } }) =>
    make(
      'li',
      {},
      make(
        'a',
        { href: `#${operationId}`, class: 'to' },
        make('span', { class: `dot ${method}`, 'aria-hidden': 'true' }),
        summary,
      ),
    ),
  )
  menu.append(make('li', {}, make('details', {}, make('summary', {}, name), make('ul', {}, links))))
}

/** Shows the operations whose id, path or summary has all words. */
const finder = document.getElementById('find')
const find = () => {
  const words = finder.value.toLowerCase().split(/\s+/).filter(Boolean)
  let left = 0
  for (const { method, path, operation } of all) {
    const text = `${method} ${path} ${operation.operationId} ${operation.summary}`.toLowerCase()
    const fits = words.every(word => text.includes(word))
    document.getElementById(operation.operationId).hidden = !fits
    left += fits ? 1 : 0
  }
  for (const section of reference.querySelectorAll('section'))
    section.hidden = section.querySelector('.operation:not([hidden])') === null
  document.getElementById('found').textContent = words.length === 0 ? '' : `${left} of ${all.length} operations`
  document.getElementById('elsewhere').hidden = left > 0
}
finder.addEventListener('input', find)

const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1))
  if (target instanceof HTMLDetailsElement) {
    target.hidden = false
    target.closest('section').hidden = false
    target.open = true
    // The menu opens the group of the operation, too.
    const inMenu = [...menu.querySelectorAll('a')].find(({ hash }) => hash === location.hash)
    inMenu?.closest('details').setAttribute('open', '')
  }
  target?.scrollIntoView()
}
addEventListener('hashchange', openTarget)
// A link to the current hash is no hashchange, but is followed all the same.
menu.addEventListener('click', event => event.target.closest('a')?.hash === location.hash && openTarget())
if (location.hash) openTarget()
reference.setAttribute('aria-busy', 'false')
