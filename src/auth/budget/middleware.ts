import type { Context, MiddlewareHandler } from 'hono'
import { AppError } from '../../errors.ts'
import type { AppEnv } from '../../http/context.ts'
import { describeError } from '../../http/request-log.ts'
import { withTimeout } from '../../timeout.ts'
import { endCall, mustReport, newUse, type TeamUse, takeAnswer, takeRoom } from './budget-rules.ts'
import { budgetLimitsOf } from './settings.ts'
import { budgetOf } from './team-budget.ts'

const REPORT_TIMEOUT_MS = 3_000
const TEAMS_MAX = 10_000

/** What this isolate has seen of each team. */
const useByTeam = new Map<number, TeamUse>()

/** Before a call does anything: refuses it while its team is over its budget, or has too much under way at once. */
export function beginCall(c: Context<AppEnv>, team: number, now: number): void {
  const use = useOf(team)
  if (use.overUntil > now)
    throw tooMuch('your team has used more time of the database than its share', (use.overUntil - now) / 1000)
  if (!takeRoom(use, budgetLimitsOf(c.env), now))
    throw tooMuch('your team has too many calls at once that use the database for long', 1)
  c.set('endCall', () => endCall(use, now, c.get('cost').ownMs))
}

function tooMuch(message: string, inSeconds: number): AppError {
  const seconds = Math.ceil(inSeconds)
  const hint = `try again in ${seconds} seconds; use indexed attributes in filters, cursors instead of skip, and bulk requests`
  return new AppError('rate_limited', [{ message, hint, detail: { retryAfterSeconds: seconds } }])
}

/** Behind the response: adds up what calls cost the database, and reports a team that uses much of it. */
export const chargeTeam: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  c.get('endCall')?.()
  const scope = c.get('scope')
  const use = scope && useByTeam.get(scope.team.no)
  if (use && mustReport(use)) c.executionCtx.waitUntil(report(c, scope.team.no, use))
}

function useOf(team: number): TeamUse {
  const known = useByTeam.get(team)
  if (known) return known
  if (useByTeam.size >= TEAMS_MAX) useByTeam.clear()
  const use = newUse()
  useByTeam.set(team, use)
  return use
}

/** If the object can't be reached, calls are let through. */
async function report(c: Context<AppEnv>, team: number, use: TeamUse): Promise<void> {
  const { ms } = use
  use.ms = 0
  use.reporting = true
  try {
    const limits = budgetLimitsOf(c.env)
    const asking = (async () => budgetOf(c.env, team).spend(ms, limits))()
    takeAnswer(use, await withTimeout(REPORT_TIMEOUT_MS, asking), Date.now())
  } catch (error) {
    takeAnswer(use, 0, Date.now())
    console.warn(JSON.stringify({ budget: 'unknown', cause: describeError(error) }))
  } finally {
    use.reporting = false
  }
}
