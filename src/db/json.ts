/**
 * Attribute names may be any text, but a JSON path in SQLite can't name a key with a quote, a backslash or a control
 * character in it. Such characters are written as `~` and four hex digits wherever a document is stored.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const UNSAFE = /[~"\\\u0000-\u001f\ud800-\udfff]/gu

export const storedKey = (name: string): string =>
  name === '' ? '~' : name.replace(UNSAFE, char => `~${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const nameOfKey = (key: string): string =>
  key === '~' ? '' : key.replace(/~([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** The path of one top-level key. A value to bind, never a piece of SQL. */
export const jsonPath = (name: string): string => `$."${storedKey(name)}"`

export const storedData = (data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [storedKey(name), value]))

export const dataOfStored = (stored: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(stored).map(([key, value]) => [nameOfKey(key), value]))

/** A D1 function takes 32 arguments: one for the document, two for each path and value. */
const PATHS_PER_CALL = 15

/** The parameters of `changedDocument`, to be members of its item. */
export const documentChange = (set: Record<string, unknown>, unset: string[]) => ({
  paths: Object.keys(set).map(jsonPath),
  values: Object.values(set),
  gone: unset.map(jsonPath),
})

/** SQL that sets and removes top-level keys of a document by the parameters in `item`, each value replaced as a whole. */
export function changedDocument(document: string, item: string, sets: number, unsets: number): string {
  let changed = document
  for (const some of runs(sets)) {
    const pairs = some.map(index => `${item} ->> '$.paths[${index}]', ${item} -> '$.values[${index}]'`)
    changed = `jsonb_set(${changed}, ${pairs.join(', ')})`
  }
  for (const some of runs(unsets)) {
    changed = `jsonb_remove(${changed}, ${some.map(index => `${item} ->> '$.gone[${index}]'`).join(', ')})`
  }
  return changed
}

const runs = (count: number): number[][] =>
  Array.from({ length: Math.ceil(count / PATHS_PER_CALL) }, (_, run) =>
    Array.from(
      { length: Math.min(PATHS_PER_CALL, count - run * PATHS_PER_CALL) },
      (_, index) => run * PATHS_PER_CALL + index,
    ),
  )
