import { make } from './dom.js'
import { highlight } from './highlight.js'

/** Sends a request, and shows in `result` what came back and what it cost. */
export async function sendRequest({ method, address, headers, body }, { token, file, result }) {
  result.replaceChildren(make('p', {}, 'Waiting…'))
  const upload = file ? new FormData() : undefined
  if (file?.files[0]) upload.append('file', file.files[0])
  const startedAt = performance.now()
  try {
    const response = await fetch(location.origin + address, {
      method,
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
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
    return result.replaceChildren(statusLine(response, startedAt), make('p', {}, `${type}, ${size} bytes`))
  }
  const text = await response.text()
  const status = statusLine(response, startedAt)
  let parsed
  try {
    parsed = JSON.parse(text)
  } catch {
    return result.replaceChildren(status, ...(text === '' ? [] : [responseBlock(text)]))
  }
  const faults = (parsed._meta?.errors ?? []).map(({ code, docs, message }) =>
    make(
      'p',
      { class: 'fault' },
      make('a', { href: new URL(docs).pathname + new URL(docs).hash }, make('code', {}, code)),
      ` ${message}`,
    ),
  )
  result.replaceChildren(status, ...faults, responseBlock(JSON.stringify(parsed, null, 2)))
}

/** Events are shown as they come. */
async function showStream(response, startedAt, result) {
  const code = make('code', {})
  result.replaceChildren(statusLine(response, startedAt), make('pre', { tabindex: '0' }, code))
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) code.append(next.value)
}

function statusLine(response, startedAt) {
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

/** A response: a block that can be reached by keyboard, and scrolled. */
function responseBlock(text) {
  const code = make('code')
  code.innerHTML = highlight(text, 'json')
  return make(
    'div',
    { class: 'block output' },
    make('pre', { tabindex: '0', role: 'group', 'aria-label': 'Response' }, code),
  )
}
