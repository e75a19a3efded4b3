import type { ErrorCode, Fault } from '../errors.ts'

/** A logged request: what was called, its faults and its cost, without any value that was sent or returned. */
export interface RequestLine {
  /** The id, which contains the time of the request. */
  id: string
  method: string
  /** The id of the operation in the reference; null if no route was found. */
  operation: string | null
  path: string
  status: number
  code: string | null
  faults?: LoggedFault[]
  by: { apiKey: string } | { session: string }
  user: string
  /** The address of the caller. Older lines have none. */
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

/** Returns the path with ids and names of the configuration, `*` in place of what may be personal, and only the names of the query. */
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

/** A fault of a request, without values. */
interface LoggedFault {
  /** The place of the fault: a JSON Pointer into the request, empty for the request as a whole. */
  path: string
  message: string
}

const FAULTS_SHOWN_MAX = 5
const MESSAGE_CHARACTERS_MAX = 200
const NAME = /^\w{1,40}$/
/** Matches quoted texts, addresses, and numbers as long as those of people. */
const MAY_BE_PERSONAL = /"[^"]*"|“[^”]*”|\S*@\S*|\+?\d[\d ()-]{3,}\d/g

/** Errors that say nothing of the values that were sent. Of others, a fault that names no field may quote a value. */
const NAMES_NO_VALUE: ReadonlySet<string | null> = new Set<ErrorCode>([
  'permission_denied',
  'team_suspended',
  'rate_limited',
  'request_too_large',
  'storage_full',
  'definition_in_use',
  'maintenance',
])

/** Returns the first faults that can be logged, with `*` in place of what may be personal, as in a path. */
export const toLoggedFaults = (faults: readonly Fault[], code: string | null): LoggedFault[] =>
  faults.slice(0, FAULTS_SHOWN_MAX).flatMap(({ path = NAMES_NO_VALUE.has(code) ? '' : undefined, message }) => {
    if (path === undefined) return []
    const parts = path.split('/').slice(1)
    const names = new Set(parts.filter(part => NAME.test(part)))
    const shown = message.replace(MAY_BE_PERSONAL, found => (names.has(found.slice(1, -1)) ? found : '*'))
    const where = parts.map(part => (names.has(part) ? `/${part}` : '/*')).join('')
    return [{ path: where.slice(0, PATH_CHARACTERS_MAX), message: shown.slice(0, MESSAGE_CHARACTERS_MAX) }]
  })
