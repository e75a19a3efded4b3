import { AppError } from '../errors.ts'
import type { RoleShortId } from './roles.ts'

/** Cloudflare counts in spans of 10 or 60 seconds. */
const PERIOD_SECONDS = 60
const SECOND_MS = 1000
const REMEMBERED_MAX = 10_000

/** What this isolate has seen of each key in the present span: what is left is told from it, and decided by the binding. */
const seen = new Map<string, { span: number; calls: number }>()

const bindingOf = (env: Env, role: RoleShortId): RateLimit =>
  ({ admin: env.RATE_ADMIN, manager: env.RATE_MANAGER, agent: env.RATE_AGENT, viewer: env.RATE_VIEWER })[role]

export interface Counted {
  /** What the answer tells of it, whatever the answer is. */
  headers: Record<string, string>
  refusal?: AppError
}

/** Counts one call of a key, which its role may allow no more. No key is counted with any other. */
export async function countCall(env: Env, keyId: string, role: RoleShortId, now: number): Promise<Counted> {
  const limit = env.CALLS_PER_MINUTE[role]
  const seconds = Math.floor(now / SECOND_MS)
  const secondsLeft = PERIOD_SECONDS - (seconds % PERIOD_SECONDS)
  const calls = callsOf(keyId, Math.floor(seconds / PERIOD_SECONDS))
  const allowed = await isAllowed(bindingOf(env, role), keyId)
  const left = allowed ? Math.max(0, limit - calls) : 0
  const headers = {
    'ratelimit-policy': `"${role}";q=${limit};w=${PERIOD_SECONDS}`,
    ratelimit: `"${role}";r=${left};t=${secondsLeft}`,
  }
  if (allowed) return { headers }
  const message = `more than ${limit} calls in ${PERIOD_SECONDS} seconds with this key`
  const refusal = new AppError('rate_limited', [{ message, hint: `try again in ${secondsLeft} seconds` }])
  return { headers: { ...headers, 'retry-after': String(secondsLeft) }, refusal }
}

function callsOf(keyId: string, span: number): number {
  const known = seen.get(keyId)
  const calls = known?.span === span ? known.calls + 1 : 1
  if (seen.size >= REMEMBERED_MAX) seen.clear()
  seen.set(keyId, { span, calls })
  return calls
}

/** A limit that can't be asked keeps nobody out. */
async function isAllowed(binding: RateLimit, key: string): Promise<boolean> {
  try {
    return (await binding.limit({ key })).success
  } catch {
    return true
  }
}
