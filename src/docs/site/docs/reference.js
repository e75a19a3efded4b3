// Renders /openapi.json: every operation with its parameters, body, answers and errors, and a form to try it.

/** An element with attributes, properties (functions, `value`, `open`) and children; text stays text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    if (typeof value === 'function' || name === 'value') element[name] = value
    else element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.flat().filter(child => child !== undefined && child !== null))
  return element
}

/** Descriptions are a little Markdown: paragraphs, `code` and [links](/to). */
const prose = (text = '') => text.split(/\n\n+/).map(paragraph => make('p', { class: 'note' }, inline(paragraph)))
const inline = text =>
  text.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/).map(part => {
    if (part.startsWith('`')) return make('code', {}, part.slice(1, -1))
    const link = /^\[(.+)\]\((.+)\)$/.exec(part)
    return link ? make('a', { href: link[2] }, inline(link[1])) : part
  })

const reference = document.getElementById('reference')
const tokenField = document.getElementById('token')
tokenField.form.addEventListener('submit', event => event.preventDefault())
tokenField.value = sessionStorage.getItem('token') ?? ''
tokenField.addEventListener('input', () => sessionStorage.setItem('token', tokenField.value.trim()))

const spec = await (await fetch('/openapi.json')).json()
const resolve = thing =>
  thing?.$ref
    ? thing.$ref
        .slice(2)
        .split('/')
        .reduce((at, key) => at[key], spec)
    : thing

// ---- schemas ----

function typeOf(schema) {
  const { $ref, anyOf, oneOf, type, items, format, enum: allowed, const: only } = schema
  if ($ref) return $ref.split('/').at(-1)
  if (only !== undefined) return JSON.stringify(only)
  if (allowed)
    return allowed.length > 8 ? `one of ${allowed.length} words` : allowed.map(each => JSON.stringify(each)).join(' | ')
  if (anyOf ?? oneOf) return [...new Set((anyOf ?? oneOf).map(typeOf))].join(' | ')
  if (type === 'array') return `list of ${items && Object.keys(items).length ? typeOf(items) : 'anything'}`
  return format ? `${[type].flat().join(' | ')} (${format})` : [type].flat().join(' | ') || 'anything'
}

function limitsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems, default: initial, enum: allowed }) {
  const said = []
  if (minLength !== undefined || maxLength !== undefined)
    said.push(`${minLength ?? 0} to ${maxLength ?? '∞'} characters`)
  if (minItems !== undefined || maxItems !== undefined) said.push(`${minItems ?? 0} to ${maxItems ?? '∞'} items`)
  if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) said.push(`at least ${minimum}`)
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) said.push(`at most ${maximum}`)
  if (initial !== undefined) said.push(`${JSON.stringify(initial)} where it is left out`)
  if (allowed?.length > 8) said.push(allowed.join(', '))
  return said.join('; ')
}

/** What lies inside: the members of an object, of the items of a list, of the alternatives. */
function insideOf(schema, seen) {
  if (schema.$ref) return seen.includes(schema.$ref) ? undefined : insideOf(resolve(schema), [...seen, schema.$ref])
  if (schema.properties || typeof schema.additionalProperties === 'object') return members(schema, seen)
  if (schema.items) return insideOf(schema.items, seen)
  const alternatives = (schema.anyOf ?? schema.oneOf ?? []).map(each => insideOf(each, seen)).filter(Boolean)
  return alternatives.length > 0 ? make('div', {}, alternatives) : undefined
}

/** The description of a member, or of the one of its alternatives that has one. */
const noteOf = schema =>
  schema.description ??
  (schema.$ref ? resolve(schema).description : (schema.anyOf ?? []).map(noteOf).find(note => note !== undefined))

function members(schema, seen = []) {
  const { properties = {}, additionalProperties: others } = schema
  const named = Object.entries(properties)
  if (typeof others === 'object' && Object.keys(others).length > 0) named.push(['any other name', others])
  const rows = named.map(([name, member]) => {
    const inside = insideOf(member, seen)
    const limits = limitsOf(member)
    const note = noteOf(member)
    return make(
      'li',
      {},
      make('code', {}, name),
      ' ',
      make('span', { class: 'type' }, typeOf(member)),
      schema.required?.includes(name) && seen[0] === 'body' ? make('span', { class: 'must' }, ' required') : undefined,
      limits ? make('span', { class: 'type' }, ` · ${limits}`) : undefined,
      note ? make('div', { class: 'note' }, inline(note)) : undefined,
      inside ? make('details', {}, make('summary', {}, 'members'), inside) : undefined,
    )
  })
  return make('ul', { class: 'members' }, rows)
}

const json = value => make('pre', { tabindex: '0' }, make('code', {}, JSON.stringify(value, null, 2)))

// ---- one operation ----

const heading = text => make('h4', {}, text)

function parametersOf(operation) {
  const parameters = (operation.parameters ?? []).map(resolve)
  if (parameters.length === 0) return []
  const rows = parameters.map(({ name, in: place, required, schema, description = '' }) =>
    make(
      'li',
      {},
      make('code', {}, name),
      ' ',
      make('span', { class: 'type' }, `${place} · ${typeOf(schema)}`),
      required ? make('span', { class: 'must' }, ' required') : undefined,
      limitsOf(schema) ? make('span', { class: 'type' }, ` · ${limitsOf(schema)}`) : undefined,
      make('div', { class: 'note' }, inline(description)),
    ),
  )
  return [heading('Parameters'), make('ul', { class: 'members' }, rows)]
}

function bodyOf(operation) {
  const [[type, media] = []] = Object.entries(operation.requestBody?.content ?? {})
  if (!media) return []
  return [
    heading(`Body · ${type}`),
    insideOf(media.schema, ['body']) ?? make('p', {}, typeOf(media.schema)),
    media.example
      ? make('details', { class: 'example' }, make('summary', {}, 'Example'), json(media.example))
      : undefined,
  ]
}

function answersOf(operation) {
  const statuses = Object.entries(operation.responses)
  const good = statuses.filter(([status]) => status < 400)
  const codes = statuses
    .filter(([status]) => status >= 400)
    .flatMap(([status, answer]) =>
      Object.keys(resolve(answer).content['application/json'].examples).map(code =>
        make('li', {}, make('a', { href: `/docs/errors#${code}` }, make('code', {}, `${status} ${code}`))),
      ),
    )
  return [
    heading('Answers'),
    ...good.map(([status, answer]) => {
      const [[type, media] = []] = Object.entries(answer.content ?? {})
      const headers = Object.keys(answer.headers ?? {})
      const data = media?.schema?.properties?._data ?? media?.schema
      const inside = data ? insideOf(data, []) : undefined
      return make(
        'details',
        { class: 'answer' },
        make('summary', {}, make('span', { class: 'status good' }, status), ' ', inline(answer.description)),
        data ? make('p', { class: 'note' }, `${type}: `, make('span', { class: 'type' }, typeOf(data))) : undefined,
        inside,
        headers.length > 0
          ? make(
              'p',
              { class: 'note' },
              'Headers: ',
              headers.flatMap((name, at) => [at ? ', ' : '', make('code', {}, name)]),
            )
          : undefined,
        media?.example === undefined
          ? undefined
          : typeof media.example === 'string'
            ? make('pre', {}, media.example)
            : json(media.example),
      )
    }),
    heading('Errors'),
    make('ul', { class: 'codes' }, codes),
  ]
}

// ---- trying it ----

let fields = 0
function field(name, value, hint, textarea) {
  const id = `field-${++fields}`
  const rows = Math.min(16, value.split('\n').length + 1)
  const input = textarea
    ? make('textarea', { id, rows, spellcheck: 'false', class: 'code', value })
    : make('input', { id, value, class: 'code', autocomplete: 'off', spellcheck: 'false', placeholder: hint })
  return { name, input, element: make('div', { class: 'field' }, make('label', { for: id }, name), input) }
}

const quoted = text => `'${text.replaceAll("'", "'\\''")}'`

function tryOf(method, path, operation) {
  const [[type, media] = []] = Object.entries(operation.requestBody?.content ?? {})
  const parameters = (operation.parameters ?? []).map(resolve).map(each => ({
    ...each,
    ...field(each.name, each.in === 'path' ? String(each.example ?? '') : '', each.in === 'path' ? '' : 'optional'),
  }))
  const body = media ? field('Body', JSON.stringify(media.example ?? {}, null, 2), '', true) : undefined
  const result = make('div', { class: 'result', 'aria-live': 'polite' })

  const request = () => {
    const filled = place => parameters.filter(each => each.in === place && each.input.value.trim() !== '')
    const address = filled('path').reduce(
      (at, { name, input }) => at.replace(`{${name}}`, encodeURIComponent(input.value.trim())),
      path,
    )
    const query = new URLSearchParams(filled('query').map(({ name, input }) => [name, input.value.trim()])).toString()
    const headers = Object.fromEntries(
      filled('header').map(({ name, input }) => [name.toLowerCase(), input.value.trim()]),
    )
    if (!operation.security) headers.authorization = `Bearer ${tokenField.value.trim()}`
    if (body) headers['content-type'] = type
    return {
      url: `${location.origin}${address}${query ? `?${query}` : ''}`,
      init: { method: method.toUpperCase(), headers, ...(body ? { body: body.input.value } : {}) },
    }
  }

  const send = async () => {
    const { url, init } = request()
    result.replaceChildren(make('p', {}, 'Waiting…'))
    const started = performance.now()
    try {
      const response = await fetch(url, init)
      const text = await response.text()
      const took = Math.round(performance.now() - started)
      result.replaceChildren(...shown(response, text, took))
    } catch (error) {
      result.replaceChildren(make('p', { class: 'status bad' }, `No answer: ${error.message}`))
    }
  }

  const copy = make('button', { type: 'button' }, 'Copy as curl')
  copy.onclick = async () => {
    const { url, init } = request()
    const headers = Object.entries(init.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
    const parts = [
      `curl -s -X ${init.method} ${quoted(url)}`,
      ...headers,
      ...(init.body ? [`-d ${quoted(init.body)}`] : []),
    ]
    await navigator.clipboard.writeText(parts.join(' \\\n  '))
    copy.textContent = 'Copied'
    setTimeout(() => {
      copy.textContent = 'Copy as curl'
    }, 1500)
  }
  const form = make(
    'form',
    { class: 'try' },
    parameters.map(({ element }) => element),
    body?.element,
    make('div', { class: 'actions' }, make('button', { class: 'primary' }, 'Send'), copy),
    result,
  )
  form.onsubmit = event => {
    event.preventDefault()
    send()
  }
  return [heading('Try it'), form]
}

function shown(response, text, took) {
  const status = make(
    'p',
    {},
    make('span', { class: `status ${response.ok ? 'good' : 'bad'}` }, `${response.status}`),
    ` in ${took} ms`,
    response.headers.get('server-timing')
      ? ` · database ${/desc="(.*)"/.exec(response.headers.get('server-timing'))?.[1]}`
      : '',
  )
  let parsed
  try {
    parsed = JSON.parse(text)
  } catch {
    return [status, make('pre', { tabindex: '0' }, text)]
  }
  const faults = (parsed._meta?.errors ?? []).map(({ code, docs, message }) =>
    make(
      'p',
      {},
      make('a', { href: new URL(docs).pathname + new URL(docs).hash }, make('code', {}, code)),
      ` ${message}`,
    ),
  )
  return [status, ...faults, json(parsed)]
}

// ---- the page ----

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
  // Most are never opened: they are built when they are.
  details.addEventListener(
    'toggle',
    () =>
      details.append(
        make(
          'div',
          {},
          prose(operation.description),
          operation['x-permission']
            ? make('p', { class: 'note' }, 'Needs the permission ', make('code', {}, operation['x-permission']), '.')
            : make('p', { class: 'note' }, 'Needs no token.'),
          parametersOf(operation),
          bodyOf(operation),
          answersOf(operation),
          tryOf(method, path, operation),
        ),
      ),
    { once: true },
  )
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
    make('h2', { id }, name),
    make('p', { class: 'tag-note' }, inline(description)),
    ...inTag.map(({ method, path, operation }) => operationOf(method, path, operation)),
  )
  menu.append(make('li', {}, make('a', { href: `#${id}` }, name)))
}

const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1))
  if (target instanceof HTMLDetailsElement) target.open = true
  target?.scrollIntoView()
}
addEventListener('hashchange', openTarget)
if (location.hash) openTarget()
reference.setAttribute('aria-busy', 'false')
