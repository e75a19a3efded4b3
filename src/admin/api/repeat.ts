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

/** The changes that are being sent, by what they are. */
const underWay = new Map<string, Promise<unknown>>()

/**
 * Sends a change with an idempotency key. The same change while it is under way is this one: a second click may come before
 * its button shows that the first has been heard. Where it stays unknown whether it was made, the same change has the same key when
 * its reader sends it once more: it is not made twice.
 */
export function sendOnce<Result>(change: string, send: (idempotencyKey: string) => Promise<Result>): Promise<Result> {
  const same = underWay.get(change) as Promise<Result> | undefined
  if (same) return same
  const sent = sendWithKey(change, send).finally(() => underWay.delete(change))
  underWay.set(change, sent)
  return sent
}

async function sendWithKey<Result>(change: string, send: (idempotencyKey: string) => Promise<Result>): Promise<Result> {
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
