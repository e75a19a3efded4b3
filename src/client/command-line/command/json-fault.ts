const SPACE = /\s*/y
const STRING = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

class Wanted extends Error {}

/** Where a text stops being JSON, and what is wanted there: `JSON.parse` tells the place only of some faults. */
export function jsonFault(text: string): string {
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const isThere = pattern.test(text)
    if (isThere) at = pattern.lastIndex
    return isThere
  }
  const takes = (character: string): boolean => {
    take(SPACE)
    if (text[at] !== character) return false
    at += 1
    return true
  }
  const need = (isThere: boolean, what: string): void => {
    if (!isThere) throw new Wanted(what)
  }
  const value = (): void => {
    if (takes('{')) rest('}', member)
    else if (takes('[')) rest(']', value)
    else need(take(STRING) || take(SCALAR), 'a value is wanted')
  }
  const member = (): void => {
    take(SPACE)
    need(take(STRING), 'a name in double quotes is wanted')
    need(takes(':'), 'a colon is wanted')
    value()
  }
  const rest = (end: string, each: () => void): void => {
    if (takes(end)) return
    each()
    while (takes(',')) each()
    need(takes(end), `a comma or ${end} is wanted`)
  }
  try {
    value()
    take(SPACE)
    need(at === text.length, 'the end is wanted')
  } catch (error) {
    if (!(error instanceof Wanted)) throw error
    const before = text.slice(0, at).split('\n')
    return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: ${error.message}`
  }
  return 'it is not an object'
}
