/** A request as it is kept: what was asked and what it took, and nothing of what was sent or answered. */
export interface RequestLine {
  /** The time of the request is in it. */
  id: string
  method: string
  /** The id of the operation in the reference; null: no route was found. */
  operation: string | null
  path: string
  status: number
  code: string | null
  by: { apiKey: string } | { session: string }
  user: string
  ms: number
  databaseMs: number
  trips: number
  read: number
  written: number
}

const PATH_CHARACTERS_MAX = 300
/** Parts of an address that name something of the configuration. Any other part may be a customer's. */
const NAMES_SHOWN = new Set(['procedureShortId', 'primaryKeyShortId', 'version'])
const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** The path with ids and names of the configuration; `*` in place of what may be personal; of the query only its names. */
export function shownPath(pattern: string, params: Readonly<Record<string, string>>, names: readonly string[]): string {
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? ''
    return ID.test(value) || NAMES_SHOWN.has(name) ? value : '*'
  })
  const shown = [...new Set(names)].filter(name => /^\w{1,40}$/.test(name))
  return (shown.length === 0 ? path : `${path}?${shown.join('&')}`).slice(0, PATH_CHARACTERS_MAX)
}
