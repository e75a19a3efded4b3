/** Stands for anything: any value, the rest of a text, of a list, of an object's members. */
const ANYTHING = '…'

/** JSON in which `…` may stand for what is left out. Bare, it is made a member or an item, so that it can be parsed. */
export function parsePattern(text: string): unknown {
  const inside: string[] = []
  let [json, quoted] = ['', false]
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (quoted && character === '\\') {
      json += character + (text[++at] ?? '')
      continue
    }
    if (character === '"') quoted = !quoted
    if (!quoted && (character === '{' || character === '[')) inside.push(character)
    if (!quoted && (character === '}' || character === ']')) inside.pop()
    const bare = character === ANYTHING && !quoted
    json += !bare ? character : inside.at(-1) === '{' && /[{,]\s*$/.test(json) ? '"…": "…"' : '"…"'
  }
  return JSON.parse(json)
}

/** Describes where a value differs from the pattern; undefined if it fits. */
export function matches(pattern: unknown, value: unknown, at = '$'): string | undefined {
  if (pattern === ANYTHING) return undefined
  if (typeof pattern === 'string' && typeof value === 'string' && pattern.includes(ANYTHING))
    return fits(pattern, value) ? undefined : `${at}: ${JSON.stringify(value)} is not ${pattern}`
  if (Array.isArray(pattern) && Array.isArray(value)) return listDiffers(pattern, value, at)
  if (isObject(pattern) && isObject(value)) return membersDiffer(pattern, value, at)
  return Object.is(pattern, value) ? undefined : `${at}: ${JSON.stringify(value)} is not ${JSON.stringify(pattern)}`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function fits(pattern: string, value: string): boolean {
  const parts = pattern.split(ANYTHING).map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^]*')}$`).test(value)
}

function listDiffers(pattern: unknown[], value: unknown[], at: string): string | undefined {
  const open = pattern.at(-1) === ANYTHING && value.length !== pattern.length
  const wanted = open ? pattern.slice(0, -1) : pattern
  if (value.length < wanted.length || (!open && value.length > wanted.length))
    return `${at}: ${value.length} items, ${wanted.length} were expected`
  return wanted.map((each, index) => matches(each, value[index], `${at}[${index}]`)).find(each => each !== undefined)
}

function membersDiffer(
  pattern: Record<string, unknown>,
  value: Record<string, unknown>,
  at: string,
): string | undefined {
  const wanted = Object.keys(pattern).filter(name => name !== ANYTHING)
  const missing = wanted.find(name => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${at}.${missing} is missing`
  const more = Object.keys(value).find(name => !Object.hasOwn(pattern, name))
  if (more !== undefined && !Object.hasOwn(pattern, ANYTHING)) return `${at}.${more} is not in the example`
  return wanted.map(name => matches(pattern[name], value[name], `${at}.${name}`)).find(each => each !== undefined)
}
