import { highlight } from './highlight.js'
import { make } from './make.js'

/** A response: a block that can be reached by keyboard, and scrolled. */
export function responseBlock(text) {
  const code = make('code')
  code.innerHTML = highlight(text, 'json')
  return make(
    'div',
    { class: 'block output' },
    make('pre', { tabindex: '0', role: 'group', 'aria-label': 'Response' }, code),
  )
}

const quoted = text => `'${text.replaceAll("'", "'\\''")}'`

/** A request as a curl command. */
export function curl({ method, address, headers, body, form }, base, token) {
  const parts = [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${address.includes('?') ? `"${base}${address}"` : `${base}${address}`}`,
    ...(token === undefined ? [] : [`-H "authorization: Bearer ${token}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
    ...(form ?? []).map(each => `-F ${quoted(each)}`),
  ]
  return parts.join(' \\\n  ')
}
