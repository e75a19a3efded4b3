import type { Code } from './error.ts'

/** The properties of a failed try that decide whether it is retried. */
export interface FailedTry {
  code: Code
  status: number
  retryAfterMs?: number | undefined
}

/** The way in which an operation may be retried: with an idempotency key, without, or never. See `OPERATIONS`. */
export type RetryMode = 'key' | 'safe' | 'never'

/** Codes of errors that may not occur at the next try. */
const TRANSIENT_CODES = new Set<Code>([
  'rate_limited',
  'request_in_progress',
  'storage_unavailable',
  'maintenance',
  'internal_error',
  'no_response',
])
/** The same for responses of proxies, which have no code. */
const TRANSIENT_STATUSES = new Set([408, 429, 500, 502, 503, 504])

const WAIT_MS_MAX = 60_000
const BACKOFF_MS_MAX = 20_000

/**
 * Returns whether to retry. Errors of the messaging provider are final. An operation that must not be repeated is
 * retried only if it was refused by the rate limit or a pause, because then it had no effect.
 */
export function isRetryable({ code, status, retryAfterMs = 0 }: FailedTry, retry: RetryMode): boolean {
  if (retryAfterMs > WAIT_MS_MAX) return false
  if (retry === 'never') return code === 'rate_limited' || code === 'maintenance'
  return TRANSIENT_CODES.has(code) || (code === 'unexpected_response' && TRANSIENT_STATUSES.has(status))
}

/** Exponential backoff with up to 50 % jitter; never less than the API asks for. */
export function getWaitMs(tries: number, backoffMs: number, retryAfterMs: number | undefined, chance: number): number {
  const backoff = Math.min(BACKOFF_MS_MAX, backoffMs * 2 ** (tries - 1))
  if (retryAfterMs !== undefined) return Math.max(retryAfterMs, backoff) + chance * backoffMs
  return backoff * (0.5 + chance / 2)
}

/** `retry-after`: seconds, or a date. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
