import { openDatabase } from '../db/databases.ts'
import { isPaused } from '../http/pause.ts'
import { describeError } from '../http/request-log.ts'
import { settingsProblems } from '../settings.ts'
import { withTimeout } from '../timeout.ts'
import { CHECKS } from './checks.ts'
import type { Check, Health } from './schema.ts'
import { VERSION } from './version.ts'

/** One check may take so long; all run at the same time. */
const CHECK_MS_MAX = 10_000

/** Every part by itself: one that fails, or never answers, leaves the others as they are. */
export async function examine(env: Env, now: number): Promise<Health> {
  const db = () => openDatabase(env)
  const examined = Object.entries(CHECKS).map(async ([name, check]): Promise<[string, Check]> => {
    try {
      return [name, await withTimeout(CHECK_MS_MAX, check({ env, db, now }))]
    } catch (error) {
      console.error(JSON.stringify({ check: name, cause: describeError(error) }))
      return [name, { status: 'failing', reason: error instanceof Error ? error.message : String(error) }]
    }
  })
  const problems = settingsProblems(env)
  const settings: Check = problems.length === 0 ? { status: 'ok' } : { status: 'failing', reason: problems.join('; ') }
  const checks = { settings, ...Object.fromEntries(await Promise.all(examined)) }
  const status = Object.values(checks).every(check => check.status === 'ok') ? 'ok' : 'failing'
  const deployment = env.VERSION_METADATA?.id
  return { status, version: VERSION, ...(deployment && { deployment }), paused: isPaused(env), checks }
}
