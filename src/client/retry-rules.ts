import type { Code } from './error.ts'

/** What a failed try is known by. */
export interface Failed {
  code: Code
  status: number
  retryAfterMs?: number | undefined
}

/** How the operation may be repeated: see the table of operations. */
export type Repeat = 'key' | 'asIs' | 'never'

/** Worth another try, because the next one may fare better. */
const PASSING = new Set<Code>([
  'rate_limited',
  'request_in_progress',
  'storage_unavailable',
  'internal_error',
  'no_answer',
])
/** The same of those who stand between the API and the caller, and know no codes. */
const PASSING_STATUSES = new Set([408, 429, 500, 502, 503, 504])

const WAIT_MS_MAX = 60_000
const BACKOFF_MS_MAX = 20_000

/**
 * Whether to send it again. What a provider answered about a message is its fate, and is not asked for a second time;
 * what must not be repeated is sent again only where it was turned away unread.
 */
export function isWorthRepeating({ code, status, retryAfterMs = 0 }: Failed, repeat: Repeat): boolean {
  if (retryAfterMs > WAIT_MS_MAX) return false
  if (repeat === 'never') return code === 'rate_limited'
  return PASSING.has(code) || (code === 'strange_answer' && PASSING_STATUSES.has(status))
}

/** Twice as long each time, up to half of it left to chance; never less than what the API asks for. */
export function waitMs(tries: number, backoffMs: number, retryAfterMs: number | undefined, chance: number): number {
  const backoff = Math.min(BACKOFF_MS_MAX, backoffMs * 2 ** (tries - 1))
  if (retryAfterMs !== undefined) return retryAfterMs + chance * backoffMs
  return backoff * (0.5 + chance / 2)
}

/** `retry-after`: seconds, or a date. */
export function retryAfterMsOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
