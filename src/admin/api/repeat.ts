import { CaseworkerError } from 'caseworker'
import { markRepeatable } from '../parts/failure.ts'

/**
 * The codes after which the outcome is unknown: there was no response, or one that does not say whether the change was
 * made.
 */
const UNDECIDED = new Set<string>([
  'no_response',
  'unexpected_response',
  'internal_error',
  'storage_unavailable',
  'request_in_progress',
  'rate_limited',
  'maintenance',
  'unauthenticated',
])
const KEPT_MAX = 100

/** The idempotency keys of changes of which nobody knows whether they were made, by what they are. */
const undecided = new Map<string, string>()

/**
 * Sends a change with an idempotency key. Where it stays unknown whether it was made, the same change has the same key when
 * its reader sends it once more: it is not made twice.
 */
export async function sendOnce<Result>(
  change: string,
  send: (idempotencyKey: string) => Promise<Result>,
): Promise<Result> {
  const key = undecided.get(change) ?? crypto.randomUUID()
  undecided.delete(change)
  try {
    return await send(key)
  } catch (error) {
    if (error instanceof CaseworkerError && UNDECIDED.has(error.code)) {
      markRepeatable(error)
      undecided.set(change, key)
      if (undecided.size > KEPT_MAX) undecided.delete(undecided.keys().next().value ?? '')
    }
    throw error
  }
}
