import type { ErrorCode, Fault } from '../errors.ts'

/** A request as it is kept: what was asked, what was wrong with it and what it took, and no value that was sent or answered. */
export interface RequestLine {
  /** The time of the request is in it. */
  id: string
  method: string
  /** The id of the operation in the reference; null: no route was found. */
  operation: string | null
  path: string
  status: number
  code: string | null
  faults?: LoggedFault[]
  by: { apiKey: string } | { session: string }
  user: string
  /** Where it came from; lines of before have none. */
  address?: string
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
export function toLoggedPath(
  pattern: string,
  params: Readonly<Record<string, string>>,
  names: readonly string[],
): string {
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? ''
    return ID.test(value) || NAMES_SHOWN.has(name) ? value : '*'
  })
  const shown = [...new Set(names)].filter(name => /^\w{1,40}$/.test(name))
  return (shown.length === 0 ? path : `${path}?${shown.join('&')}`).slice(0, PATH_CHARACTERS_MAX)
}

/** What was wrong with a request, without the values. */
interface LoggedFault {
  /** Where: a JSON Pointer into the request; empty: the request as a whole. */
  path: string
  message: string
}

const FAULTS_SHOWN_MAX = 5
const MESSAGE_CHARACTERS_MAX = 200
const NAME = /^\w{1,40}$/
/** What a message quotes, addresses, and numbers as long as those of people are. */
const MAY_BE_PERSONAL = /"[^"]*"|“[^”]*”|\S*@\S*|\+?\d[\d ()-]{3,}\d/g

/** Errors that say nothing of what was sent: of others, a fault that names no field may quote a value as it is. */
const NAMES_NO_VALUE: ReadonlySet<string | null> = new Set<ErrorCode>([
  'permission_denied',
  'team_suspended',
  'rate_limited',
  'request_too_large',
  'storage_full',
  'definition_in_use',
  'maintenance',
])

/** The first faults that can be told; `*` stands for what may be personal in them, as in a path. */
export const toLoggedFaults = (faults: readonly Fault[], code: string | null): LoggedFault[] =>
  faults.slice(0, FAULTS_SHOWN_MAX).flatMap(({ path = NAMES_NO_VALUE.has(code) ? '' : undefined, message }) => {
    if (path === undefined) return []
    const parts = path.split('/').slice(1)
    const names = new Set(parts.filter(part => NAME.test(part)))
    const shown = message.replace(MAY_BE_PERSONAL, found => (names.has(found.slice(1, -1)) ? found : '*'))
    const where = parts.map(part => (names.has(part) ? `/${part}` : '/*')).join('')
    return [{ path: where.slice(0, PATH_CHARACTERS_MAX), message: shown.slice(0, MESSAGE_CHARACTERS_MAX) }]
  })
