/**
 * Matches characters that a JSON path in SQLite can't name in a key: quotes, backslashes and control characters. Attribute
 * names may have them, so in stored documents they are written as `~` and four hex digits.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const UNSAFE = /[~"\\\u0000-\u001f\ud800-\udfff]/gu
/** Tells whether a name is stored as it is. Nearly all names are. */
const isSafe = (name: string): boolean => name !== '' && name.search(UNSAFE) < 0

export const toStoredName = (name: string): string =>
  name === '' ? '~' : name.replace(UNSAFE, char => `~${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

const toName = (key: string): string =>
  key === '~' ? '' : key.replace(/~([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** Returns the path of one top-level key. It is a value to bind, never a piece of SQL. */
export const jsonPath = (name: string): string => `$."${toStoredName(name)}"`

export const toStoredData = (data: Record<string, unknown>): Record<string, unknown> => {
  const names = Object.keys(data)
  if (names.every(isSafe)) return data
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [toStoredName(name), value]))
}

/** Returns false if all names in the document are as they were sent. */
export const mayHaveStoredNames = (text: string): boolean => text.includes('~')

/** Restores the names of a stored document. Without such characters, which are rare, the document is the data. */
export function toData(stored: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(stored)
  if (!keys.some(key => key.includes('~'))) return stored
  return Object.fromEntries(keys.map(key => [toName(key), stored[key]]))
}
