/**
 * Attribute names may be any text, but a JSON path in SQLite can't name a key with a quote, a backslash or a control
 * character in it. Such characters are written as `~` and four hex digits wherever a document is stored.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const UNSAFE = /[~"\\\u0000-\u001f\ud800-\udfff]/gu
/** Once for all names of a document: hardly any of them has such a character. */
const isSafe = (name: string): boolean => name !== '' && name.search(UNSAFE) < 0

export const storedKey = (name: string): string =>
  name === '' ? '~' : name.replace(UNSAFE, char => `~${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

const toName = (key: string): string =>
  key === '~' ? '' : key.replace(/~([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** The path of one top-level key. A value to bind, never a piece of SQL. */
export const jsonPath = (name: string): string => `$."${storedKey(name)}"`

export const storedData = (data: Record<string, unknown>): Record<string, unknown> => {
  const names = Object.keys(data)
  if (names.every(isSafe)) return data
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [storedKey(name), value]))
}

/** False: all names in the document are as they were sent. */
export const mayHaveStoredNames = (text: string): boolean => text.includes('~')

/** Names with such characters are rare: without them, the document is the data. */
export function toData(stored: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(stored)
  if (!keys.some(key => key.includes('~'))) return stored
  return Object.fromEntries(keys.map(key => [toName(key), stored[key]]))
}
