const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const SPACE = 0x20

/**
 * Finds the way to a member that is there twice in a text of JSON: of two values the parser keeps the last one, and which was
 * meant nobody can tell. `value` is what the text was parsed to.
 */
export const findDoubledMember = (text: string, value: unknown): (string | number)[] | null =>
  typeof value !== 'object' || value === null || countNames(text) === countMembers(value)
    ? null
    : findDoubledNames(text)

/** As many names as the text has, or more: the end of a text with a quote in it may look like one. */
function countNames(text: string): number {
  let count = 0
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) <= SPACE) before--
    if (text.charCodeAt(before) === QUOTE) count++
  }
  return count
}

/** It does not recurse: there may be thousands of levels. */
function countMembers(value: object): number {
  let count = 0
  const open: unknown[] = [value]
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    const values = Array.isArray(each) ? each : Object.values(each as object)
    if (values !== each) count += values.length
    for (const inner of values) if (typeof inner === 'object' && inner !== null) open.push(inner)
  }
  return count
}

interface Level {
  /** The names that came so far; null: it is a list. */
  names: Set<string> | null
  /** The name of the member, or the place in the list, that is being read. */
  at: string | number
}

function findDoubledNames(text: string): (string | number)[] | null {
  const levels: Level[] = []
  let isName = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const level = levels.at(-1)
    if (code === QUOTE) {
      const end = findTextEnd(text, at)
      if (isName && level?.names) {
        const name = JSON.parse(text.slice(at, end + 1)) as string
        level.at = name
        if (level.names.has(name)) return levels.map(each => each.at)
        level.names.add(name)
        isName = false
      }
      at = end
    } else if (code === COMMA && level) {
      isName = level.names !== null
      if (typeof level.at === 'number') level.at += 1
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      isName = code === OPEN_OBJECT
      levels.push({ names: isName ? new Set() : null, at: isName ? '' : 0 })
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) levels.pop()
  }
  return null
}

function findTextEnd(text: string, start: number): number {
  let at = start + 1
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}
