import { copyButton, make } from './make.js'

const TOKENS = {
  json: /(?<name>"(?:[^"\\]|\\.)*")(?=\s*:)|(?<text>"(?:[^"\\]|\\.)*")|(?<word>\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)/g,
  sh: /(?<name>\$\w+)|(?<word>(?<=^|\s)--?[A-Za-z][\w-]*|^\s*(?:curl|export|npm|npx|node)\b)/gm,
}

/** Long lines break before a slash of a path, never inside a name. */
const breakable = text => text.split(/(?=\/)/).flatMap(part => (part.startsWith('/') ? [make('wbr'), part] : [part]))

/** Syntax highlighting: the text in pieces with a class each. */
export function painted(text, language) {
  const pieces = []
  const plain = text => (language === 'sh' ? breakable(text) : [text])
  let at = 0
  for (const match of text.matchAll(TOKENS[language])) {
    const [kind] = Object.entries(match.groups).find(([, found]) => found !== undefined)
    pieces.push(...plain(text.slice(at, match.index)), make('span', { class: `t-${kind}` }, match[0]))
    at = match.index + match[0].length
  }
  return [...pieces, ...plain(text.slice(at))]
}

const TOO_LONG_TO_PAINT = 60_000

/** A block of code that can be reached by keyboard, and scrolled. */
export function block(text, language, { title } = {}) {
  const code = make('code', {}, text.length > TOO_LONG_TO_PAINT ? text : painted(text, language))
  return make(
    'div',
    { class: language === 'sh' ? 'block' : 'block output' },
    title ? make('div', { class: 'title' }, title) : undefined,
    make('pre', { tabindex: '0' }, code),
    copyButton(() => code.textContent),
  )
}

export const json = (value, more) => block(JSON.stringify(value, null, 2), 'json', more)

export const quoted = text => `'${text.replaceAll("'", "'\\''")}'`

/** A request as a curl command. `base` and `token` are not quoted, so that they can be shell variables. */
export function curl({ method, address, headers, body, form }, base, token) {
  const parts = [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${address.includes('?') || token !== '$TOKEN' ? `"${base}${address}"` : `${base}${address}`}`,
    ...(token === undefined ? [] : [`-H "authorization: Bearer ${token}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
    ...(form ?? []).map(each => `-F ${quoted(each)}`),
  ]
  return parts.join(' \\\n  ')
}
