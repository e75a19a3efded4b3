import { block, curl, json } from './code.js'
import { copyButton, make } from './make.js'
import { ownValue, withOwnIds } from './own.js'
import { resolve } from './schema.js'

const tokenField = document.getElementById('token')
const MULTIPART = 'multipart/form-data'

let fields = 0
function field(name, value, { hint = '', lines = 1, type } = {}) {
  const id = `field-${++fields}`
  const quiet = { id, class: 'code', autocomplete: 'off', spellcheck: 'false' }
  const input =
    lines > 1
      ? make('textarea', { ...quiet, rows: lines, value })
      : make('input', { ...quiet, placeholder: hint, type, value: value || undefined })
  return { name, input, element: make('div', { class: 'field' }, make('label', { for: id }, name), input) }
}

/** The input fields of an operation, and the request that they make. */
function fieldsOf(method, path, operation) {
  const [[type, media] = []] = Object.entries(operation.requestBody?.content ?? {})
  const parameters = (operation.parameters ?? []).map(resolve).map(each => ({
    ...each,
    ...field(each.name, each.in === 'header' ? '' : String(each.example ?? ''), {
      hint: each.required ? '' : 'optional',
    }),
  }))
  const isForm = type === MULTIPART
  const text = JSON.stringify(media?.example ?? {}, null, 2)
  const body = media && !isForm ? field('Body', text, { lines: Math.min(18, text.split('\n').length + 1) }) : undefined
  const file = isForm ? field('file', '', { type: 'file' }) : undefined
  const filled = place => parameters.filter(each => each.in === place && each.input.value.trim() !== '')

  const request = () => {
    const address = filled('path').reduce(
      (at, { name, input }) => at.replace(`{${name}}`, encodeURIComponent(input.value.trim())),
      path,
    )
    const query = new URLSearchParams(filled('query').map(({ name, input }) => [name, input.value.trim()])).toString()
    const headers = Object.fromEntries(
      filled('header').map(({ name, input }) => [name.toLowerCase(), input.value.trim()]),
    )
    if (body) headers['content-type'] = type
    return {
      method: method.toUpperCase(),
      address: `${address}${query ? `?${query}` : ''}`,
      headers,
      ...(body ? { body: body.input.value } : {}),
      ...(isForm ? { form: [`file=@${file.input.files[0]?.name ?? 'offer.pdf'}`] } : {}),
    }
  }
  /** An example value that the reader has not changed is replaced by the team's own. */
  const given = new Map([...parameters, ...(body ? [body] : [])].map(({ input }) => [input, input.value]))
  const examples = new Map(given)
  const put = (input, value) => {
    if (input.value === given.get(input)) input.value = value
    given.set(input, value)
  }
  const fill = async () => {
    for (const { name, in: place, input } of parameters)
      if (place === 'path') put(input, (await ownValue(method, operation, name)) ?? examples.get(input))
    if (body) put(body.input, await withOwnIds(examples.get(body.input)))
  }
  return { parameters, body, file, request, fill }
}

const tokenHint = document.getElementById('token-hint')
const HINT = tokenHint.textContent
let waiting

/** Without a token nothing is sent. The focus moves to the token field, and with Enter back to the form. */
function askForToken(form, result) {
  const sentence = 'This request needs a token. Paste it into the field at the top of the page.'
  result.replaceChildren(make('p', { class: 'fault' }, sentence))
  tokenHint.textContent = 'Paste a token here, press Enter, and send the request again.'
  waiting = form
  tokenField.focus()
}
tokenField.form.addEventListener('submit', () => {
  waiting?.querySelector('.actions button').focus()
  waiting = undefined
})

const QUIET_MS = 300
const fills = []
let typing
tokenField.addEventListener('input', () => {
  tokenHint.textContent = HINT
  clearTimeout(typing)
  typing = setTimeout(() => fills.map(fill => fill()), QUIET_MS)
})

/** The command beside an operation and the form below it. The command follows the form. */
export function tryOf(method, path, operation) {
  const { parameters, body, file, request, fill } = fieldsOf(method, path, operation)
  const isOpen = operation.security !== undefined
  const printed = () => curl(request(), '$API', isOpen ? undefined : '$TOKEN')
  const command = make('div', { class: 'command' }, block(printed(), 'sh', { title: 'Request' }))
  const result = make('div', { class: 'result', 'aria-live': 'polite' })
  const own = () => curl(request(), location.origin, isOpen ? undefined : tokenField.value.trim())

  const main = parameters.filter(each => each.in === 'path' || each.required)
  const more = parameters.filter(each => !main.includes(each))
  const form = make(
    'form',
    { class: 'try' },
    make(
      'div',
      { class: 'fields' },
      main.map(({ element }) => element),
    ),
    more.length === 0
      ? undefined
      : make(
          'details',
          { class: 'more' },
          make('summary', {}, more.map(({ name }) => name).join(', ')),
          make(
            'div',
            { class: 'fields' },
            more.map(({ element }) => element),
          ),
        ),
    body?.element,
    file?.element,
    make(
      'div',
      { class: 'actions' },
      make('button', { class: 'primary' }, 'Send'),
      copyButton(own, 'Copy as curl, with the token'),
    ),
    result,
  )
  form.oninput = () => command.replaceChildren(block(printed(), 'sh', { title: 'Request' }))
  form.onsubmit = event => {
    event.preventDefault()
    if (!isOpen && tokenField.value.trim() === '') askForToken(form, result)
    else send(request(), isOpen, file, result)
  }
  const refill = async () => {
    form.setAttribute('aria-busy', 'true')
    await fill()
    form.oninput()
    form.removeAttribute('aria-busy')
  }
  fills.push(refill)
  refill()
  return { command, form }
}

async function send({ method, address, headers, body }, isOpen, file, result) {
  result.replaceChildren(make('p', {}, 'Waiting…'))
  const upload = file ? new FormData() : undefined
  if (file?.input.files[0]) upload.append('file', file.input.files[0])
  const authorization = isOpen ? {} : { authorization: `Bearer ${tokenField.value.trim()}` }
  const startedAt = performance.now()
  try {
    const response = await fetch(location.origin + address, {
      method,
      headers: { ...authorization, ...headers },
      ...(upload || body !== undefined ? { body: upload ?? body } : {}),
    })
    await show(response, startedAt, result)
  } catch (error) {
    result.replaceChildren(make('p', { class: 'status bad' }, `No response: ${error.message}`))
  }
}

async function show(response, startedAt, result) {
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) return showStream(response, startedAt, result)
  if (/^(image|video|application\/pdf)/.test(type)) {
    const { size } = await response.blob()
    return result.replaceChildren(statusOf(response, startedAt), make('p', {}, `${type}, ${size} bytes`))
  }
  const text = await response.text()
  const status = statusOf(response, startedAt)
  let parsed
  try {
    parsed = JSON.parse(text)
  } catch {
    return result.replaceChildren(status, ...(text === '' ? [] : [block(text, 'json')]))
  }
  const faults = (parsed._meta?.errors ?? []).map(({ code, docs, message }) =>
    make(
      'p',
      { class: 'fault' },
      make('a', { href: new URL(docs).pathname + new URL(docs).hash }, make('code', {}, code)),
      ` ${message}`,
    ),
  )
  result.replaceChildren(status, ...faults, json(parsed))
}

/** Events are shown as they come. */
async function showStream(response, startedAt, result) {
  const code = make('code', {})
  result.replaceChildren(statusOf(response, startedAt), make('pre', { tabindex: '0' }, code))
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) code.append(next.value)
}

function statusOf(response, startedAt) {
  const took = Math.round(performance.now() - startedAt)
  const cost = /trips=(\d+) read=(\d+) written=(\d+)/.exec(response.headers.get('server-timing') ?? '')
  const says = cost
    ? ` · ${cost[1]} round trip${cost[1] === '1' ? '' : 's'}, ${cost[2]} rows read, ${cost[3]} written`
    : ''
  return make(
    'p',
    {},
    make('span', { class: `status ${response.ok ? 'good' : 'bad'}` }, `${response.status}`),
    ` in ${took} ms${says}`,
  )
}
