import type { LoggedRequest } from 'caseworker'

export interface FailureKind {
  key: string
  operation: string | null
  status: number
  code: string | null
  count: number
  /** The newest one. */
  latest: LoggedRequest
}

/** What failed in which way: requests of one operation with one error, the most frequent first. They are read newest first. */
export function kindsOfFailures(requests: readonly LoggedRequest[]): FailureKind[] {
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
