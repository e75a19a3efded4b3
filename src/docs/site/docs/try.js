// The form of an operation: it sends the request, and the samples beside it follow what is entered.
import { copyButton, make } from './dom.js'
import { highlight } from './highlight.js'
import { sendRequest } from './send.js'
import { findTeamValue, putTeamIds } from './team-ids.js'

const form = document.querySelector('form.try')
const { method, path, type } = form.dataset
const isOpen = form.dataset.open !== undefined
const result = form.querySelector('.result')
const inputs = [...form.querySelectorAll('[data-in]')]
const [body, file] = ['body', 'file'].map(place => inputs.find(each => each.dataset.in === place))
const tokenField = document.getElementById('token')
const token = () => tokenField?.value.trim() ?? ''

const filled = place => inputs.filter(each => each.dataset.in === place && each.value.trim() !== '')
function request() {
  const address = filled('path').reduce(
    (at, { name, value }) => at.replace(`{${name}}`, encodeURIComponent(value.trim())),
    path,
  )
  const query = new URLSearchParams(filled('query').map(({ name, value }) => [name, value.trim()])).toString()
  const headers = Object.fromEntries(filled('header').map(({ name, value }) => [name.toLowerCase(), value.trim()]))
  if (body) headers['content-type'] = type
  return {
    method: method.toUpperCase(),
    address: query === '' ? address : `${address}?${query}`,
    headers,
    ...(body ? { body: body.value } : {}),
    ...(file ? { form: [`file=@${file.files[0]?.name ?? 'offer.pdf'}`] } : {}),
  }
}

// The samples as the page has them, and the request that they make.
const samples = [...document.querySelectorAll('.tabs .panel')].map(panel => {
  const code = panel.querySelector('code')
  return { code, text: code.textContent, language: panel.dataset.language, isCurl: panel.dataset.label === 'curl' }
})
const first = request()

/** Puts what is entered into the samples: the address into all of them, the rest of a changed request into the one for curl. */
async function showSamples() {
  const now = request()
  const isChanged = now.body !== given.get(body) || JSON.stringify(now.headers) !== JSON.stringify(first.headers)
  for (const { code, text, language, isCurl } of samples) {
    const shown =
      isCurl && isChanged
        ? curl(now, location.origin, isOpen ? undefined : '$TOKEN')
        : await putTeamIds(text.replaceAll(first.address, now.address))
    code.innerHTML = highlight(shown, language)
  }
}

/** An example value that the reader has not changed is replaced by the team's own. */
const examples = new Map(inputs.filter(each => each !== file).map(each => [each, each.value]))
const given = new Map(examples)
function put(input, value) {
  if (input.value === given.get(input)) input.value = value
  given.set(input, value)
}
async function fillTeamIds() {
  form.setAttribute('aria-busy', 'true')
  for (const input of inputs.filter(each => each.dataset.in === 'path'))
    put(input, (await findTeamValue(input.name)) ?? examples.get(input))
  if (body) put(body, await putTeamIds(examples.get(body)))
  await showSamples()
  form.removeAttribute('aria-busy')
}

const QUIET_MS = 300
let typing
if (tokenField) {
  tokenField.value = sessionStorage.getItem('token') ?? ''
  tokenField.addEventListener('input', () => {
    sessionStorage.setItem('token', token())
    clearTimeout(typing)
    typing = setTimeout(fillTeamIds, QUIET_MS)
  })
}

form.addEventListener('input', event => event.target !== tokenField && showSamples())
form.addEventListener('submit', event => {
  event.preventDefault()
  if (!isOpen && token() === '') {
    result.replaceChildren(
      make('p', { class: 'fault' }, 'This request needs a token. Paste it into the field above, and press Enter.'),
    )
    tokenField.focus()
  } else sendRequest(request(), { token: isOpen && token() === '' ? undefined : token(), file, result })
})
const command = () => curl(request(), location.origin, isOpen ? undefined : token() || '$TOKEN')
form.querySelector('.actions').append(copyButton(command, 'Copy as curl, with the token'))
form.hidden = false
fillTeamIds()

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A request as a curl command. */
function curl({ method, address, headers, body, form }, base, token) {
  const parts = [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${address.includes('?') ? `"${base}${address}"` : `${base}${address}`}`,
    ...(token === undefined ? [] : [`-H "authorization: Bearer ${token}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
    ...(form ?? []).map(each => `-F ${quoted(each)}`),
  ]
  return parts.join(' \\\n  ')
}
