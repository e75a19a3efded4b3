import { AppError } from '../errors.ts'
import { getSecondsLeft, isAllowed } from '../http/request/limiter.ts'
import type { RoleShortId } from '../roles.ts'
import { SECOND_MS } from '../time-units.ts'

const PERIOD_SECONDS = 60
const COUNTED_CALLERS_MAX = 10_000

/** The calls of each key, and of each user by sessions, that this isolate saw in the current period. The headers are made from it; the binding decides. */
const callsByCaller = new Map<string, { span: number; calls: number }>()

const getBinding = (env: Env, role: RoleShortId): RateLimit =>
  ({ admin: env.RATE_ADMIN, manager: env.RATE_MANAGER, agent: env.RATE_AGENT, viewer: env.RATE_VIEWER })[role]

interface RateLimitResult {
  /** The headers of every response. */
  headers: readonly (readonly [name: string, value: string])[]
  refusal?: AppError
}

/** A caller who is counted separately: a key, or a user in all sessions together, since signing in again must not give more calls. */
interface RateLimitedCaller {
  kind: 'key' | 'session'
  id: string
}

/** Counts one call of a key, or of a user, against the limit of its role. */
export async function countCall(
  env: Env,
  { kind, id }: RateLimitedCaller,
  role: RoleShortId,
  now: number,
): Promise<RateLimitResult> {
  const limit = env.CALLS_PER_MINUTE[role]
  const secondsLeft = getSecondsLeft(PERIOD_SECONDS, now)
  const calls = countCalls(id, Math.floor(now / SECOND_MS / PERIOD_SECONDS))
  const allowed = await isAllowed(getBinding(env, role), id)
  const left = allowed ? Math.max(0, limit - calls) : 0
  const headers = [
    ['ratelimit-policy', `"${role}";q=${limit};w=${PERIOD_SECONDS}`],
    ['ratelimit', `"${role}";r=${left};t=${secondsLeft}`],
  ] as const
  if (allowed) return { headers }
  const message = `more than ${limit} calls in ${PERIOD_SECONDS} seconds ${kind === 'key' ? 'with this key' : 'in all sessions of this user together'}`
  const hint = `try again in ${secondsLeft} seconds`
  const refusal = new AppError('rate_limited', [{ message, hint, detail: { retryAfterSeconds: secondsLeft } }])
  return { headers, refusal }
}

function countCalls(callerId: string, span: number): number {
  const known = callsByCaller.get(callerId)
  const calls = known?.span === span ? known.calls + 1 : 1
  if (callsByCaller.size >= COUNTED_CALLERS_MAX) callsByCaller.clear()
  callsByCaller.set(callerId, { span, calls })
  return calls
}
