import type { Context, MiddlewareHandler } from 'hono'
import { AppError } from '../../errors.ts'
import type { AppEnv } from '../../http/context.ts'
import { describeError } from '../../http/request-log.ts'
import { withTimeout } from '../../timeout.ts'
import { mustReport, newUse, type TeamUse, takeAnswer } from './budget-rules.ts'
import { budgetLimitsOf } from './settings.ts'
import { budgetOf } from './team-budget.ts'

const REPORT_TIMEOUT_MS = 3_000
const TEAMS_MAX = 10_000

/** What this isolate has seen of each team. */
const useByTeam = new Map<number, TeamUse>()

/** Before a call does anything: refuses it while its team is over its budget. */
export function refuseOverBudget(team: number, now: number): void {
  const ms = (useByTeam.get(team)?.overUntil ?? 0) - now
  if (ms <= 0) return
  const seconds = Math.ceil(ms / 1000)
  throw new AppError('rate_limited', [
    {
      message: 'your team has used more time of the database than its share',
      hint: `try again in ${seconds} seconds; use indexed attributes in filters, cursors instead of skip, and bulk requests`,
      detail: { retryAfterSeconds: seconds },
    },
  ])
}

/** Behind the response: adds up what calls cost the database, and reports a team that uses much of it. */
export const chargeTeam: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  const scope = c.get('scope')
  const { ownMs } = c.get('cost')
  if (!scope || ownMs === 0) return
  const use = useOf(scope.team.no)
  use.ms += ownMs
  if (mustReport(use)) c.executionCtx.waitUntil(report(c, scope.team.no, use))
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
