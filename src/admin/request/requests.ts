import type { LoggedRequest } from 'caseworker'

interface CallerName {
  id: string
  name: string
}

/**
 * Lists the callers to filter by: users and keys by name. A session has none, and is listed only where a link named it.
 */
export function buildCallerOptions(
  users: readonly CallerName[],
  keys: readonly CallerName[],
  chosen: string | undefined,
): { value: string; label: string }[] {
  const options = [
    ...users.map(({ id, name }) => ({ value: id, label: name })),
    ...keys.map(({ id, name }) => ({ value: id, label: `Key ${name}` })),
  ]
  const isKnown = chosen === undefined || options.some(({ value }) => value === chosen)
  return [
    { value: '', label: 'By anybody' },
    ...(isKnown ? [] : [{ value: chosen, label: `One session, …${chosen.slice(-8)}` }]),
    ...options,
  ]
}

interface FailureKind {
  key: string
  operation: string | null
  status: number
  code: string | null
  count: number
  /** The newest one. */
  latest: LoggedRequest
}

/** Groups failed requests by operation and error, the most frequent first. Requests come newest first. */
export function groupFailures(requests: readonly LoggedRequest[]): FailureKind[] {
  const kinds = new Map<string, FailureKind>()
  for (const request of requests) {
    const { operation, status, code } = request
    const key = `${operation} ${status} ${code}`
    const kind = kinds.get(key)
    if (kind) kind.count += 1
    else kinds.set(key, { key, operation, status, code, count: 1, latest: request })
  }
  return [...kinds.values()].sort((one, other) => other.count - one.count)
}
